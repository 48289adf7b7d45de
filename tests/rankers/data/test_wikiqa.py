from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rankers.data import load
from rankers.types import Questions

CLEAN = 'who?\tthe "one" \t1\nwho?\tother\t0\nwhen?\tnow\t1\n'
RAW = (
    "QuestionID\tQuestion\tDocumentID\tDocumentTitle\tSentenceID\tSentence\tLabel\r\n"
    "Q1\twho?\tD1\tT\tD1-0\tmixed\t1\r\n"
    "Q1\twho?\tD1\tT\tD1-1\tmixed too\t0\r\n"
    "Q2\twho?\tD2\tT\tD2-0\tnone\t0\r\n"
    'Q3\twhen?\tD2\tT\tD2-0\t"all\t1\r\n'
)


def content(questions: Questions) -> dict[str, set[tuple[str, int]]]:
    return {question.id: {(c.text, c.grade) for c in question.candidates} for question in questions}


def test_a_clean_file_is_question_answer_label(put: Callable[[str, str], Path]) -> None:
    questions = load("wikiqa", "dev", home=put("wikiqa/dev.tsv", CLEAN), check=False)
    assert [(question.text, len(question.candidates)) for question in questions] == [("who?", 2), ("when?", 1)]
    assert {(c.text, c.grade) for c in questions.items[0].candidates} == {('the "one" ', 1), ("other", 0)}


@pytest.mark.parametrize(
    ("version", "kept"), [("raw", ["Q1", "Q2", "Q3"]), ("no-all-", ["Q1", "Q3"]), ("clean", ["Q1"])]
)
def test_the_raw_corpus_keeps_the_questions_of_its_version(
    put: Callable[[str, str], Path], version: str, kept: list[str]
) -> None:
    home = put("wikiqa-raw/WikiQA-test.tsv.gz", RAW)
    questions = load("wikiqa-raw", "test", home=home, check=False, version=version)
    assert [question.id for question in questions] == kept


def test_raw_questions_are_separated_by_id_and_quotes_are_characters(put: Callable[[str, str], Path]) -> None:
    questions = load("wikiqa-raw", "test", home=put("wikiqa-raw/WikiQA-test.tsv.gz", RAW), check=False)
    assert content(questions) == {"Q1": {("mixed", 1), ("mixed too", 0)}, "Q2": {("none", 0)}, "Q3": {('"all', 1)}}
    assert "1 questions without a relevant candidate" in questions.notes


def test_ids_of_sentences_do_not_reveal_their_place_in_the_article(put: Callable[[str, str], Path]) -> None:
    questions = load("wikiqa-raw", "test", home=put("wikiqa-raw/WikiQA-test.tsv.gz", RAW), check=False)
    assert not any(c.id.startswith("D") and "-" in c.id for question in questions for c in question.candidates)


@pytest.mark.data
@pytest.mark.parametrize("split", ["dev", "test"])
def test_the_clean_version_of_the_raw_corpus_is_the_clean_files(data_home: Path, split: str) -> None:
    clean = load("wikiqa", split, home=data_home)
    raw = load("wikiqa-raw", split, home=data_home, version="clean")

    def plain(questions: Questions) -> list[tuple[str, list[tuple[str, int]]]]:
        return [(q.text.strip(), sorted((c.text.strip(), c.grade) for c in q.candidates)) for q in questions]

    assert sorted(plain(clean)) == sorted(plain(raw))


@pytest.mark.data
def test_questions_with_a_positive_are_the_clean_ones_and_six_more(data_home: Path) -> None:
    """So every mean on the 243 questions follows from that on the 237, and the trainings are the same."""

    def plain(split: str, **options: str) -> dict[str, set[tuple[str, int]]]:
        questions = load("wikiqa-raw" if options else "wikiqa", split, home=data_home, **options)
        return {q.text.strip(): {(c.text.strip(), c.grade) for c in q.candidates} for q in questions}

    assert plain("train", version="no-all-") == plain("train")
    clean, longer = plain("test"), plain("test", version="no-all-")
    more = {text: candidates for text, candidates in longer.items() if clean.get(text) != candidates}
    assert (len(clean), len(longer), len(more)) == (237, 243, 6)
    assert {grade for candidates in more.values() for _, grade in candidates} == {1}
