"""Sentences about facts settle on the gold answer, or on the other one."""

from random import Random

import pytest

from tools.weights.minimal_pairs import facts

LANGUAGES = ["en", "de", "zh", "ja"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_facts_are_read_in_pairs(language: str) -> None:
    found = facts.facts(language)
    assert len(found) >= 16
    for first, second in zip(found[::2], found[1::2], strict=True):
        assert (first.answer, first.other) == (second.other, second.answer)
    assert len({fact.question for fact in found}) == len(found)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("templates", [facts.VERBOSE, facts.HEDGED])
def test_each_template_names_the_answer_and_exchanges_it_for_the_miss(
    language: str, templates: dict[str, list[str]]
) -> None:
    fact = facts.Fact("Q?", "It is {}.", "AAA", "BBB")
    for template in templates[language]:
        family = facts._answered(fact, template)
        assert "AAA" in family.same
        exchanged = family.same.replace("AAA", "\0").replace("BBB", "AAA").replace("\0", "BBB")
        if "{x}" not in template:
            assert family.different == exchanged
        assert family.different != family.same


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_true_statement_is_affirmed_and_a_false_one_denied(language: str) -> None:
    rng, seen = Random(language), set()
    answers = dict(facts.YES[language][1:])
    yes, no = facts.YES[language][0]
    true = {fact.statement.format(fact.answer).rstrip(".。").casefold() for fact in facts.facts(language)}
    for _ in range(300):
        family = facts.hedged(rng, language)
        if family.gold in (yes, no):
            assert (family.gold == yes) is any(text in family.question.casefold() for text in true), family
        if family.gold == yes:
            assert answers[family.same] == family.different
        elif family.gold == no:
            assert answers[family.different] == family.same
        seen.add(family.gold if family.gold in (yes, no) else "other")
    assert seen == {yes, no, "other"}


def test_a_line_of_another_form_is_refused(tmp_path, monkeypatch) -> None:
    (tmp_path / "facts.xx.txt").write_text("Who? | It is {}. | A || Who else? | It is.\n", encoding="utf-8")
    monkeypatch.setattr(facts, "SOURCES", tmp_path)
    with pytest.raises(ValueError, match=r"facts.xx.txt: 'Who\?"):
        facts.facts("xx")
