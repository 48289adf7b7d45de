from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rankers.data import load

SENTENCE = "{}\nNN\tNN\nA\tB\n0\t1\n-\t-"
XML = (
    f"<QApairs id='1.2'>\n<question>\n{SENTENCE.format('Who	?')}\n</question>\n"
    f"<positive>\n{SENTENCE.format('It	is	Ann	& Co <	2')}\nAnn\t\n3\t\n</positive>\n"
    f"<positive>\n{SENTENCE.format('Ann	!')}\nAnn\t\n1\t\n</positive>\n"
    f"<negative>\n{SENTENCE.format('Bob')}\n</negative>\n</QApairs>\n"
    f"<QApairs id='2'>\n<question>\n{SENTENCE.format('When	?')}\n</question>\n"
    f"<negative>\n{SENTENCE.format('now')}\n</negative>\n</QApairs>\n"
    f"<QApairs id='3'>\n<question>\n{SENTENCE.format('Where	?')}\n</question>\n</QApairs>\n"
)
CSV = 'qtext,label,atext\nWho ?,1,"Ann , ""A"""\nWho ?,0,Bob\nWhen ?,0,now\n'


@pytest.mark.parametrize(("version", "kept"), [("raw", ["1.2", "2"]), ("clean", ["1.2"])])
def test_a_version_keeps_its_questions(put: Callable[[str, str], Path], version: str, kept: list[str]) -> None:
    questions = load("trecqa", "dev", home=put("trecqa/xml/DEV.xml", XML), check=False, version=version)
    assert [question.id for question in questions] == kept
    assert questions.notes[0] == "1 questions left out for which no sentence was judged"


def test_words_of_the_xml_are_joined_and_answers_are_gold(put: Callable[[str, str], Path]) -> None:
    question = load("trecqa", "dev", home=put("trecqa/xml/DEV.xml", XML), check=False).items[0]
    assert (question.text, question.golds) == ("Who ?", ("Ann",))
    assert {(c.text, c.grade) for c in question.candidates} == {("It is Ann & Co < 2", 1), ("Ann !", 1), ("Bob", 0)}


def test_the_table_is_the_same_without_ids(put: Callable[[str, str], Path]) -> None:
    questions = load("trecqa-csv", "dev", home=put("trecqa/brmson/dev.csv", CSV), check=False, version="raw")
    assert [(q.text, {(c.text, c.grade) for c in q.candidates}) for q in questions] == [
        ("Who ?", {('Ann , "A"', 1), ("Bob", 0)}),
        ("When ?", {("now", 0)}),
    ]


def test_a_pair_without_a_question_is_named(put: Callable[[str, str], Path]) -> None:
    home = put("trecqa/xml/DEV.xml", "<QApairs id='9'>\n<positive>\na\n</positive>\n</QApairs>\n")
    with pytest.raises(ValueError, match=r"<QApairs id='9'> contains 0 questions"):
        load("trecqa", "dev", home=home, check=False)


@pytest.mark.data
@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_the_xml_and_the_tables_hold_the_same_judgments(data_home: Path, split: str) -> None:
    xml, csv = (
        sorted((len(q.candidates), sum(c.grade for c in q.candidates)) for q in load(name, split, home=data_home))
        for name in ("trecqa", "trecqa-csv")
    )
    assert xml == csv
