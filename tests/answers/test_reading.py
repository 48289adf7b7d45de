"""What a text says: the final answer, alternatives, letters, and whether it attempts an answer; in which languages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from answersim.answers.reading import LONGEST, read
from answersim.answers.text.languages import SUPPORT
from answersim.answers.text.tokens import tokenizer
from tests.cases import cases_of, every

CASES = cases_of(__file__)

ANSWERS = CASES["answers"]


@every("text, answer, rule", ANSWERS)
def test_the_final_answer_of_a_text(text, answer, rule):
    reading = read(text)
    assert (reading.answer, reading.rule) == (answer, rule)


@every(
    "text, alternatives",
    [
        ("Rome or Oslo", ("Rome", "Oslo")),
        ("either Rome or Oslo", ("Rome", "Oslo")),
        ("Rome; Oslo", ("Rome", "Oslo")),
        ("Rome\nOslo", ("Rome", "Oslo")),
        ("Rome / Oslo", ("Rome", "Oslo")),
        ("\\boxed{4}, \\boxed{5}", ("4", "5")),
        ("Rome, the capital of Italy", ()),
        ("Rome", ()),
        ("km/h", ()),
    ],
)
def test_alternatives_are_what_a_text_offers(text, alternatives):
    assert read(text).alternatives == alternatives


@every("text, letters", CASES["letters_are_those_that_are_chosen"])
def test_letters_are_those_that_are_chosen(text, letters):
    assert read(text).letters == letters


def test_alternatives_are_joined_by_words_of_the_language():
    assert read("Rom oder Oslo", lang="de").alternatives == ("Rom", "Oslo")
    assert read("Rome of Oslo", lang="nl").alternatives == ("Rome", "Oslo")
    assert read("king of Oslo").alternatives == ()


def test_marks_can_be_left_out():
    assert read("The answer is Rome.", marks=False).answer == "The answer is Rome."


def test_an_abstention_and_an_empty_text_attempt_nothing():
    assert [read(text).attempted for text in ("Rome", "I don't know.", "", " ")] == [True, False, False, False]
    assert not read("Das weiß ich nicht.", lang="de").attempted


def test_what_is_searched_is_bounded():
    assert read("The answer is Rome. " + "x " * LONGEST).rule == ""


def test_an_unknown_language_is_an_error():
    with pytest.raises(LookupError, match="xx"):
        read("Rome", lang="xx")


PAGE = Path(__file__).parents[2] / "docs" / "languages.md"
ROWS = {
    "similarity": "trained on pairs of sentences",
    "judged": "trained on judged answers",
    "checked": "verdicts checked",
    "values": "numbers, dates, units",
    "marks": "marks of final answers",
    "by_character": "tokens of",
}


@every("name", [*ROWS])
def test_the_page_has_the_languages_of_the_table(name: str) -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    (row,) = (line.split("|")[2] for line in rows if ROWS[name] in line.split("|")[1])
    assert set(re.findall(r"\b[a-z]{2}\b", row)) - {"by", "of"} == set(SUPPORT[name])


@every(("lang", "text"), [("zh", "北京大学"), ("ja", "東京大学"), ("th", "กรุงเทพ")])
def test_a_character_is_a_token_in_these_languages(lang: str, text: str) -> None:
    assert lang in SUPPORT["by_character"]
    assert len(tokenizer(lang)(text)) > 3
