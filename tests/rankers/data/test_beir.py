from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import rankers
from rankers import data
from rankers.data.beir import read_beir, write_beir
from rankers.types import Run

CORPUS = [
    {"_id": "d1", "title": "Rome", "text": "the kettle is in the kitchen"},
    {"_id": "d2", "title": "", "text": "a harp stands in the garden"},
    {"_id": "d3", "title": "", "text": "the boat is on the lake"},
]
QUERIES = [{"_id": "q1", "text": "where is the kettle", "metadata": {}}, {"_id": "q2", "text": "where is the harp"}]
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td3\t0\nq2\td2\t2\n"


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., Path]:
    """A folder as BEIR has it (beir.datasets.data_loader.GenericDataLoader), with changed files."""

    def make(**changed: str) -> Path:
        contents = {
            "corpus.jsonl": "\n".join(map(json.dumps, CORPUS)),
            "queries.jsonl": "\n".join(map(json.dumps, QUERIES)),
            "qrels/test.tsv": QRELS,
        }
        home = tmp_path / "mine"
        (home / "qrels").mkdir(parents=True)
        for name, text in {**contents, **{key.replace("__", "/"): value for key, value in changed.items()}}.items():
            (home / name).write_text(text)
        return home

    return make


def test_candidates_are_the_first_documents_of_bm25(folder: Callable[..., Path]) -> None:
    pytest.importorskip("bm25s")
    questions = read_beir(folder(), depth=1)
    assert (questions.corpus, questions.split, questions.pool) == ("mine", "test", "bm25@1")
    assert [(q.text, [(c.id, c.text, c.grade) for c in q.candidates]) for q in questions] == [
        ("where is the kettle", [("d1", "the kettle is in the kitchen", 1)]),
        ("where is the harp", [("d2", "a harp stands in the garden", 2)]),
    ]
    assert questions.judged == {"q1": {"d3": 0}}
    assert questions.notes == ("the pools hold 2 of 2 relevant documents (recall@1 1.000)",)


def test_candidates_can_be_those_of_a_run_and_what_it_missed_counts(folder: Callable[..., Path]) -> None:
    run = Run("first", {"q1": {"d3": 2.0, "d2": 1.0}, "q2": {"d2": 1.0}})
    questions = read_beir(folder(), run=run, depth=2)
    assert [{c.id for c in q.candidates} for q in questions] == [{"d3", "d2"}, {"d2"}]
    assert questions.judged == {"q1": {"d1": 1}}
    evaluation = rankers.evaluate(run, questions, ["R@2"])
    assert evaluation.mean("R@2") == 0.5  # the document that was not found counts


def test_what_is_written_can_be_read_back(tmp_path: Path) -> None:
    toy = data.load("toy", "dev")
    write_beir(toy, tmp_path / "toy")
    run = Run("all", {q.id: {c.id: 1.0 for c in q.candidates} for q in toy})
    back = read_beir(tmp_path / "toy", "dev", run=run, relevant=2)
    contents = [[(q.id, q.text, sorted(q.candidates)) for q in entry] for entry in (toy, back)]
    assert contents[0] == contents[1]
    assert (tmp_path / "toy" / "qrels" / "dev.tsv").read_text().splitlines()[0] == "query-id\tcorpus-id\tscore"
    with pytest.raises(FileExistsError, match="exists already"):
        write_beir(toy, tmp_path / "toy")


@pytest.mark.parametrize(
    ("changed", "settings", "says"),
    [
        ({}, {"split": "dev"}, "the folder has the splits: test"),
        ({}, {"depth": 0}, "depth is 0"),
        ({"qrels__test.tsv": "query-id\tcorpus-id\tscore\n"}, {}, "no graded question"),
        ({"qrels__test.tsv": "q1\td1\tx\n"}, {}, "line 1: the grade is 'x'"),
        ({"qrels__test.tsv": "q1\td1\t1\nq1\td1\t0\n"}, {}, "line 2: 'd1' occurs twice"),
        ({"qrels__test.tsv": "q9\td1\t1\n"}, {}, "the question 'q9' has no text; add it"),
        ({"qrels__test.tsv": "q1\td9\t1\n"}, {}, "the document 'd9' of 'q1' has no text"),
        ({"corpus.jsonl": '{"_id": "d1"}'}, {}, "there is no column of texts"),
        ({}, {"run": Run("r", {"q9": {"d1": 1.0}})}, "the run 'r' ranks none of the graded questions"),
    ],
)
def test_wrong_input_is_an_error_that_names_it(
    changed: dict[str, str], settings: dict[str, object], says: str, folder: Callable[..., Path]
) -> None:
    pytest.importorskip("bm25s")
    with pytest.raises((ValueError, LookupError, FileNotFoundError)) as caught:
        read_beir(folder(**changed), **settings)
    assert says in str(caught.value)
