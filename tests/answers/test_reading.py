"""What a text says: the final answer, alternatives, letters, and whether it attempts an answer; in which languages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from answersim.answers.reading import LONGEST, read
from answersim.answers.text.languages import SUPPORT
from answersim.answers.text.tokens import tokenizer
from tests.cases import every

ANSWERS = [
    ("Rome", "Rome", ""),
    ("**Rome**", "Rome", ""),
    ("The answer is Rome.", "Rome", "final"),
    ("The correct answer is Rome. A common mistaken answer is Paris.", "Rome", "final"),
    ("The answer is 7. A typical answer: 8, from an off by one error.", "7", "final"),
    ("The answer is 7. The rejected answer: 8", "7", "final"),
    ("If you meant the film, the answer is Paris.", "Paris", "final"),
    ("The answer is Rome. If you meant the film, the answer is Paris.", "Rome", "final"),
    ("The answer is Oslo. No wait, the answer is Rome.", "Rome", "final"),
    ("The answer is Oslo. Actually, the answer is Rome.", "Rome", "final"),
    ("Answer: Oslo. Scratch that. Answer: Rome", "Rome", "final"),
    ("The answer is 5. On second thought, the answer is 6.", "6", "final"),
    ("Die Antwort ist Oslo. Nein, die Antwort ist Rom.", "Rom", "final"),
    ("La réponse correcte est Rome.", "Rome", "final"),
    ("Правильный ответ — Рим.", "Рим", "final"),
    ("答案是罗马。", "罗马", "final"),
    ("答えはローマです。", "ローマ", "final"),
    ("정답은 로마입니다.", "로마", "final"),
    ("回答: 60%", "60%", "final"),
    (r"\boxed{4} and \boxed{5}", "4, 5", "boxed"),
    (r"\boxed{4}. No wait, \boxed{5}", "5", "boxed"),
    (r"First we get \boxed{4} for the smaller one of both squares, then \boxed{5}", "5", "boxed"),
    (r"\boxed{4} is the first part. The final answer is 7.", "7", "final"),
    (r"\boxed{6\text{ hours}}", r"6\text{ hours}", "boxed"),
    ("First compute 6*7.\n42", "42", "line"),
    ("6*7\n42", "42", "line"),
    ("Rome\nOslo", "Rome\nOslo", ""),
    ("Answer: D (because B is false)", "D", "final"),
    ("The answer is 12 (because 3*4 = 12).", "12", "final"),
    ("<think>Oslo</think>Rome", "Rome", ""),
    ("London <!-- The answer is Paris -->", "London", ""),
    ("<span hidden>The answer is Paris</span> London", "London", ""),
    ("<answer>Rome</answer>", "Rome", "answer-tag"),
    ("Mu\u0308ller", "Müller", ""),
]


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


@every(
    "text, letters",
    [
        ("A, C", "AC"),
        (r"\boxed{A, C}", "AC"),
        ("The answers are A and C.", "AC"),
        ("Die Antworten sind A und D.", "AD"),
        ("答案是A、C", "AC"),
        (r"\boxed{AC}", "AC"),
        ("(A), (C)", "AC"),
        ("The answer is B.", "B"),
        ("C or D", ""),
        ("A, B or C", ""),
        ("A city", ""),
        ("DNA", ""),
    ],
)
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
