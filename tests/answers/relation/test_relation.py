"""How a prediction relates to a gold answer, by the rules alone: right and wrong answers of each kind."""

from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answersim.answers.reading import read
from answersim.answers.relation import Relation, Relations, relate
from answersim.answers.relation.wording import same_wording
from answersim.answers.typed import comparison
from tests.cases import cases_of, every
from tools import wordnet
from tools.dictionary import read_dictionary

CASES = cases_of(__file__)

EQUAL = CASES["equal"]
NEAR = CASES["near"]
DIFFERENT = CASES["different"]
NONE = CASES["none"]


REPLACED = CASES["replaced"]
NOT_REPLACED = CASES["not_replaced"]


def test_there_is_one_class_of_relations() -> None:
    assert Relation is comparison.Relation
    assert set(get_args(Relations)) == {"equal", "near", "different", "none"}


@every(("gold", "pred"), EQUAL)
def test_the_same_answer_in_another_form_is_equal(gold: str, pred: str) -> None:
    assert relate(gold, pred).relation == "equal", relate(gold, pred)
    assert relate(gold, read(pred)) == relate(read(gold), pred)


@every(("gold", "pred", "rule"), NEAR)
def test_what_is_rounded_or_less_precise_is_near(gold: str, pred: str, rule: str) -> None:
    result = relate(gold, pred)
    assert (result.relation, result.rule) == ("near", rule), result


@every(("gold", "pred"), DIFFERENT)
def test_another_value_symbol_letter_or_order_is_different(gold: str, pred: str) -> None:
    assert relate(gold, pred).relation == "different", relate(gold, pred)


@every(("gold", "pred"), NONE)
def test_what_no_rule_knows_has_no_relation(gold: str, pred: str) -> None:
    assert relate(gold, pred).relation == "none", relate(gold, pred)


@every(
    "pred", ["Answer: Rome. No, sorry: Oslo.", "Rome. Actually, I meant Oslo.", "Rome is large. The answer is Oslo."]
)
def test_a_text_that_names_the_gold_answer_and_answers_another_one_is_left_open(pred: str) -> None:
    assert (relate("Rome", pred).relation, relate("Rome", pred).rule) == ("none", "alternatives")


@every(("one", "other"), REPLACED)
def test_phrases_that_differ_in_a_word_are_left_open(one: str, other: str) -> None:
    for gold, pred in ((one, other), (other, one)):
        assert (relate(gold, pred).relation, relate(gold, pred).rule) == ("none", "substitution"), (gold, pred)


@every(("one", "other"), NOT_REPLACED)
def test_other_forms_and_statements_are_no_replacement(one: str, other: str) -> None:
    assert relate(one, other).rule != "substitution"


def test_a_list_that_only_lacks_items_is_incomplete() -> None:
    assert relate("red, white and blue", "red and blue").rule == "incomplete"
    assert relate("ant, bee and cow", "ant, elk and cow").rule == "substitution"


@every("text", [pair[i] for pair in (*EQUAL, *DIFFERENT, *NONE) for i in (0, 1)])
def test_each_text_is_equal_to_itself(text: str) -> None:
    assert relate(text, text).relation == "equal"


@every(("gold", "pred", "question", "relation"), CASES["the_question_decides"])
def test_the_question_decides(gold: str, pred: str, question: str, relation: str) -> None:
    assert relate(gold, pred, question).relation == relation


@pytest.mark.parametrize(("pred", "rule"), [("Rome or Oslo", "alternatives"), (r"\boxed{x} \boxed{y}", "several")])
def test_several_answers_are_named_as_the_reason(pred: str, rule: str) -> None:
    assert relate("x" if rule == "several" else "Rome", pred).rule == rule


def test_options_are_chosen_by_letters_or_by_text() -> None:
    options = ["Rome", "Oslo", "Bern"]
    assert relate("B", "The answer is Oslo.", choices=options).relation == "equal"
    assert relate("B", "A", choices=options).relation == "different"
    assert relate("AC", "A and C", choices=options).relation == "equal"


@pytest.mark.parametrize(("gold", "pred"), CASES["two_sentences_are_not_equal_as_refusals"])
def test_two_sentences_are_not_equal_as_refusals(gold: str, pred: str) -> None:
    assert relate(gold, pred).relation != "equal"
    assert relate(pred, gold).relation != "equal"


@pytest.mark.parametrize(
    ("gold", "pred", "question"), CASES["an_answer_with_most_words_of_the_gold_answer_is_no_refusal"]
)
def test_an_answer_with_most_words_of_the_gold_answer_is_no_refusal(gold: str, pred: str, question: str) -> None:
    relation = relate(gold, pred, question)
    assert relation.relation != "different"
    assert relation.rule != "no answer"


def test_two_refusals_are_equal() -> None:
    for gold in ("I don't know", "unanswerable", "No answer", ""):
        assert relate(gold, "The text does not say who built it.").relation == "equal"
    assert relate("Rome", "The text does not say who built it.").relation == "different"
    assert relate("Paul Newman", "I cannot say whether it was Paul Newman.").relation == "none"


def test_the_shipped_opposites_are_those_of_wordnet() -> None:
    source = Path("/usr/share/wordnet")
    if not (source / "data.adj").is_file():
        pytest.skip("no dictionary files of WordNet: apt-get install wordnet-base")
    found = wordnet.by_word(read_dictionary(source))
    lines = [f"{word}\t{' '.join(sorted(others))}\n" for word, others in sorted(found.items())]
    assert wordnet.OPPOSITES.read_text(encoding="utf-8") == "".join(("word\topposites\n", *lines))


def test_the_shipped_initials_are_those_of_wordnet_and_of_judged_answers(data_home: Path) -> None:
    source = Path("/usr/share/wordnet")
    if not (source / "data.noun").is_file():
        pytest.skip("no dictionary files of WordNet: apt-get install wordnet-base")
    listed = wordnet.INITIALS.read_text(encoding="utf-8").splitlines()[1:]
    table = wordnet.initialisms(source, data_home)
    assert listed == [f"{short},{'|'.join(names)}".replace('"', "") for short, names in table.items()]


SAME = CASES["same"]
OTHER_ANSWERS = CASES["other_answers"]


@every(("lang", "gold", "pred", "why", "expected"), [(*row, row in SAME) for row in (*SAME, *OTHER_ANSWERS)])
def test_answers_are_the_same_if_they_differ_in_writing_only(lang, gold, pred, why, expected):
    assert same_wording(gold, pred, lang) is same_wording(pred, gold, lang) is expected


ODD = st.text(st.sampled_from("aA1 5.,-+%'\"()²½−–C東の٣\ua66e\u00a0 "), max_size=8) | st.text(max_size=8)


@given(ODD, ODD, st.sampled_from(["en", "de", "zh", "fr"]))
def test_it_is_reflexive_and_symmetric(one, other, lang):
    assert same_wording(one, one, lang)
    assert same_wording(one, other, lang) == same_wording(other, one, lang)


@given(st.integers(0, 10**12), st.integers(0, 10**12), st.booleans())
def test_numbers_are_the_same_if_their_values_are(one, other, grouped):
    written = f"{other:,}" if grouped else str(other)
    assert same_wording(str(one), written) == (one == other)
    assert same_wording(str(one), f"-{written}") is False
    assert same_wording(f"{one}.5", f"{written}5") is False
