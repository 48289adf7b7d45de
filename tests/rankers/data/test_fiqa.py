from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rankers.data import load
from rankers.types import Questions

TEXTS = {"d1": "pay the tax in april", "d2": "sell your stocks", "d3": "a letter to the bank", "d4": "buy a tax guide"}


def jsonl(*rows: dict[str, Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def beir(put: Callable[[str, str], Path]) -> Path:
    put("fiqa/corpus.jsonl", jsonl(*({"_id": name, "title": "", "text": text} for name, text in TEXTS.items())))
    put("fiqa/queries.jsonl", jsonl({"_id": "q1", "text": "when to pay tax"}, {"_id": "q2", "text": "unused"}))
    return put("fiqa/qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td3\t1\nq1\td2\t0\n")


def ids(questions: Questions) -> dict[str, dict[str, int]]:
    return {question.id: {c.id: c.grade for c in question.candidates} for question in questions}


def test_positives_that_bm25_missed_are_added_to_the_pool_and_noted(beir: Path) -> None:
    questions = load("fiqa", "test", home=beir, check=False, depth=2)
    assert ids(questions) == {"q1": {"d1": 1, "d4": 0, "d3": 1}}
    assert questions.pool == "bm25@2+positives"
    assert "the pools hold 1 of 2 relevant documents (recall@2 0.500)" in questions.notes
    assert questions.judged == {}


def test_without_them_they_count_as_judged_beyond_the_pool(beir: Path) -> None:
    questions = load("fiqa", "test", home=beir, check=False, depth=2, inject_positives=False)
    assert ids(questions) == {"q1": {"d1": 1, "d4": 0}}
    assert (questions.pool, questions.judged) == ("bm25@2", {"q1": {"d3": 1}})
    assert questions.items[0].golds == (TEXTS["d1"], TEXTS["d3"])


def test_a_document_without_words_is_no_candidate(put: Callable[[str, str], Path], beir: Path) -> None:
    texts = TEXTS | {"d2": " "}
    put("fiqa/corpus.jsonl", jsonl(*({"_id": name, "text": text} for name, text in texts.items())))
    questions = load("fiqa", "test", home=beir, check=False, depth=4)
    assert ids(questions) == {"q1": {"d1": 1, "d3": 1, "d4": 0}}
    assert "1 candidates with an empty text are left out" in questions.notes


def test_the_published_counts_are_checked(beir: Path) -> None:
    with pytest.raises(ValueError, match=r"test\.tsv contains 1 questions, but fiqa \(test\) has 648"):
        load("fiqa", "test", home=beir)


def test_an_answer_without_text_is_named(put: Callable[[str, str], Path], beir: Path) -> None:
    put("fiqa/qrels/test.tsv", "q1\td9\t1\n")
    with pytest.raises(ValueError, match="the document 'd9' of 'q1' has no text"):
        load("fiqa", "test", home=beir, check=False)


@pytest.mark.parametrize(("line", "complaint"), [("{", "line 1: not JSON"), ('{"_id": "q1"}', "line 1: .*_id, text")])
def test_a_bad_line_is_named(put: Callable[[str, str], Path], beir: Path, line: str, complaint: str) -> None:
    put("fiqa/queries.jsonl", line + "\n")
    with pytest.raises(ValueError, match=rf"queries\.jsonl, {complaint}"):
        load("fiqa", "test", home=beir, check=False)
