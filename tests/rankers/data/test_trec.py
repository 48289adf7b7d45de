"""A TREC run is ranked again: its candidates, their order and grades, and the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rankers
from rankers.data import read_trec
from rankers.evaluation.runs import read_trec as run_of
from tests.rankers.commands.command_line import called

TEXTS = {"d1": "it rained all day", "d2": "the report was written by ann", "d3": "bob read it", "d4": "a storm came"}
QRELS = "q1 0 d2 3\nq1 0 d1 1\nq1 0 d4 2\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working folder with a run of two questions, passages and topics."""
    monkeypatch.chdir(tmp_path)
    rows = [("q1", "d3", 2.0), ("q1", "d1", 5.0), ("q1", "d2", 4.0), ("q2", "d4", 1.5), ("q2", "d1", 1.0)]
    Path("first.trec").write_text("".join(f"{q} Q0 {d} 0 {score} bm25\n" for q, d, score in rows))
    lines = [{"docid": name, "text": text} for name, text in (TEXTS | {"d9": "unused"}).items()]
    Path("passages.jsonl").write_text("\n".join(map(json.dumps, lines)))
    Path("topics.tsv").write_text("q1\twho wrote the report\nq2\tdid a storm come\n")
    Path("qrels").write_text(QRELS)


def test_candidates_have_the_order_of_the_run_and_grades_of_qrels() -> None:
    questions = read_trec("first.trec", "passages.jsonl", "topics.tsv")
    assert {q.id: [(c.id, c.grade) for c in q.candidates] for q in questions} == {
        "q1": [("d1", 0), ("d2", 0), ("d3", 0)],
        "q2": [("d4", 0), ("d1", 0)],
    }
    assert questions.items[0].text == "who wrote the report"
    assert questions.notes == ()
    graded = read_trec("first.trec", "passages.jsonl", "topics.tsv", "qrels", depth=2, relevant=2)
    (question,) = graded
    assert [(c.id, c.grade, c.text) for c in question.candidates] == [("d1", 1, TEXTS["d1"]), ("d2", 3, TEXTS["d2"])]
    assert graded.judged == {"q1": {"d4": 2}}  # relevant, but not found: it counts in MAP
    assert graded.pool == "bm25@2"
    run = rankers.run("word-overlap", graded)
    assert rankers.evaluate(run, graded, measures=["MAP"]).mean("MAP") == 0.5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"passages.jsonl": '{"docid": "d1", "text": "a"}'}, "the document 'd[234]' of 'q[12]' has no text"),
        ({"topics.tsv": "q1\twho\n"}, "the question 'q2' has no text"),
        ({"first.trec": "q1 d1\n"}, "first.trec, line 1"),
    ],
)
def test_a_missing_text_or_field_is_an_error_that_names_it(change: dict[str, str], message: str) -> None:
    for name, text in change.items():
        Path(name).write_text(text)
    with pytest.raises(ValueError, match=message):
        read_trec("first.trec", "passages.jsonl", "topics.tsv")


def test_the_command_ranks_a_run_again() -> None:
    result = called("rank first.trec --texts passages.jsonl --queries topics.tsv --model word-overlap -o again.trec")
    assert result.exit_code == 0, result.stderr
    scores = run_of("again.trec").scores
    assert {question: max(row, key=row.__getitem__) for question, row in scores.items()} == {"q1": "d2", "q2": "d4"}
    assert set(scores["q1"]) == {"d1", "d2", "d3"}
    assert "a TREC file has ids only; give --texts and --queries" in called("rank first.trec").stderr
    Path("table.jsonl").write_text('{"question": "who", "candidates": ["ann", "bob"]}')
    assert "--texts and --queries belong to a TREC run" in called("rank table.jsonl --texts passages.jsonl").stderr
