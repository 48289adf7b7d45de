"""The shipped rows: how many there are of which kind, and that each rule draws families of different plain texts."""

from __future__ import annotations

import re
from collections import Counter
from random import Random

import pytest

from answersim.data.minimal_pairs import ProbeRow, kinds, rows
from tests.cases import every
from tests.tools.weights.minimal_pairs.draws import families
from tools.weights.minimal_pairs import table
from tools.weights.minimal_pairs.family import Family
from tools.weights.minimal_pairs.table import LANGUAGES, RULES, drawn, halves

ROWS_AT_LEAST = {"en": 2500, "de": 800, "zh": 300, "ja": 300}
COUPLES = (
    "acronym alias-organization alias-person alias-work chemical-synonym containment definite-description extra-detail "
    "honorific initials medical-synonym name-order place-name synonym translation transliteration"
).split()


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_as_many_rows_as_the_datasheet_promises(language: str) -> None:
    assert len(rows(language)) >= ROWS_AT_LEAST[language]


def test_english_and_german_have_every_kind() -> None:
    assert set(kinds("en")) == set(kinds("de")) == {*RULES, *COUPLES}


def test_each_rule_gives_the_requested_number_of_families() -> None:
    counts = Counter((row.kind, row.language) for row in rows())
    for kind, (_, wanted) in RULES.items():
        assert tuple(counts[kind, language] // 2 for language in LANGUAGES) == wanted


def test_a_rule_that_has_too_few_families_is_reported() -> None:
    def same(rng: Random, language: str) -> Family:
        return Family("", "one", "1", "2")

    assert len(drawn("numeral", "en", same, 1)) == 1
    with pytest.raises(ValueError, match="numeral in 'en' has 1 different families, fewer than 2"):
        drawn("numeral", "en", same, 2)


def test_a_family_whose_gold_answer_is_its_candidate_is_not_drawn() -> None:
    def useless(rng: Random, language: str) -> Family:
        return Family("", "One", "one", "2")

    with pytest.raises(ValueError, match="0 different families"):
        drawn("numeral", "en", useless, 1)


def test_the_parts_of_a_kind_do_not_depend_on_the_order_of_its_families() -> None:
    names = [f"en-date-{i:03}" for i in range(7)]
    assert halves(names) == halves(names[::-1])
    assert Counter(halves(names).values()) == {"dev": 4, "test": 3}


@pytest.mark.parametrize(
    ("second", "message"), [(("", "gold", "gold"), "is the gold answer"), (("", "gold", "same"), "repeats")]
)
def test_a_repeated_row_is_refused(second: tuple[str, str, str], message: str) -> None:
    question, gold, candidate = second
    made = [
        ProbeRow("en", "date", "en-date-001", "dev", "", "gold", "same", 1),
        ProbeRow("en", "date", "en-date-002", "dev", question, gold, candidate, 0),
    ]
    with pytest.raises(ValueError, match=message):
        table._check(made)


@every("kind", RULES)
def test_a_rule_draws_many_families_of_three_different_plain_texts(kind: str) -> None:
    rule, wanted = RULES[kind]
    for language, most in zip(LANGUAGES, wanted, strict=True):
        if most:
            found = list(families(rule, language, 300, language))
            assert len(found) > 60, language
            for family in found:
                texts = family[1:]
                assert len({text.casefold() for text in texts}) > 1
                assert family.gold != family.same
                assert all(text == text.strip() and not re.search(r"\{\w*\}", text) for text in texts), family
