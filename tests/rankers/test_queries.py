"""Questions without labels out of tables, and rankings into them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from answersim._base.io import files
from rankers import queries
from rankers.data.pools import digest
from rankers.evaluation import runs
from rankers.models.baselines import WordOverlap
from rankers.types import Run
from tests.cases import cases_of, every

CASES = cases_of(__file__)

LONG = "question,candidate\nWho?,Ann\nWhere?,Rome\nWho?,Bob\n"


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def of_rows(*rows: dict[str, Any]) -> str:
    return "\n".join(map(json.dumps, rows))


WIDE = of_rows({"question": "Who?", "candidates": ["Ann", "Bob"]}, {"question": "Where?", "candidates": ["Rome"]})
WITH_IDS = {"id": 7, "question": "Who?", "candidates": ["Ann", "Bob"], "docids": ["d-1", "d-2"], "source": "web"}
HASHED = {digest("Who?"): {digest(text): text for text in ("Ann", "Bob")}, digest("Where?"): {digest("Rome"): "Rome"}}
USUAL = [("qid", "docid"), ("query_id", "docno"), ("QID", "DocID"), ("question_id", "pid"), ("qid", "passage_id")]


@every(
    ("name", "text", "expected", "hashed"),
    [
        ("a.csv", LONG, HASHED, ("question", "candidate")),
        ("a.jsonl", WIDE, HASHED, ("question", "candidate")),
        # ids separate questions of one text
        (
            "a.csv",
            "question_id,question,candidate_id,candidate\nq1,Who?,a,Ann\nq2,Who?,a,Bob\n",
            {"q1": {"a": "Ann"}, "q2": {"a": "Bob"}},
            (),
        ),
        *(
            (
                "a.csv",
                f"{of_question},question,{of_candidate},candidate\n7,Who?,d-1,Ann\n7,Who?,d-2,Bob\n",
                {"7": {"d-1": "Ann", "d-2": "Bob"}},
                (),
            )
            for of_question, of_candidate in USUAL
        ),
        # a text may occur twice if its candidates have ids
        (
            "a.csv",
            "question,candidate,docid\nWho?,Ann,1\nWho?,Ann,2\n",
            {digest("Who?"): {"1": "Ann", "2": "Ann"}},
            ("question",),
        ),
        ("a.jsonl", of_rows(WITH_IDS), {"7": {"d-1": "Ann", "d-2": "Bob"}}, ()),
    ],
)
def test_a_table_gives_its_questions_under_its_ids_or_hashes(name, text, expected, hashed, tmp_path):
    result = queries.read(written(tmp_path / name, text))
    assert {q.id: {c.id: c.text for c in q.candidates} for q in result.questions} == expected
    assert not any(c.grade for q in result.questions for c in q.candidates)
    assert result.hashed == hashed
    more = {("7", "d-1"): {"source": "web"}, ("7", "d-2"): {"source": "web"}}
    assert (result.columns, result.values) == ((("source",), more) if "source" in text else ((), result.values))


def test_other_columns_are_kept_or_named(tmp_path):
    rows = [
        {"qid": "q1", "question": "Who?", "candidate": "Ann", "label": 1, "nested": {"a": [1]}},
        {"qid": "q1", "question": "Who?", "candidate": "Bob", "label": 0},
        {"qid": "q1", "question": "Who?", "candidate": "Bea", "label": 2},
    ]
    result = queries.read(written(tmp_path / "a.jsonl", of_rows(*rows)))
    run = runs.run(WordOverlap(), result.questions, "ours")
    assert queries.check_holds(result, tmp_path / "out.jsonl") == []
    queries.write(run, result, tmp_path / "out.jsonl")
    back = files.read(tmp_path / "out.jsonl").rows
    assert sorted((row["candidate"], row["label"], row.get("nested")) for row in back) == [
        ("Ann", 1, {"a": [1]}),
        ("Bea", 2, None),
        ("Bob", 0, None),
    ]
    hashes, left_out = queries.check_holds(result, tmp_path / "out.trec")
    assert "gives no ids of its candidates" in hashes
    assert "'label', 'nested'" in left_out


def test_a_column_that_the_ranking_would_overwrite_is_refused_before_any_ranking(tmp_path):
    rows = queries.read(written(tmp_path / "a.csv", "question,candidate,score\nWho?,Ann,0.5\n"))
    for output in (None, tmp_path / "out.csv"):
        with pytest.raises(ValueError, match="has a column 'score', which the ranking would overwrite"):
            queries.check_holds(rows, output)
    assert "'score'" in queries.check_holds(rows, tmp_path / "out.trec")[1]


def test_an_ambiguous_id_is_not_written_to_a_trec_file(tmp_path):
    rows = queries.read(written(tmp_path / "a.csv", "id,question,candidate\n1,Who?,Ann\n2,Who?,Bob\n"))
    with pytest.raises(ValueError, match="rename it to question_id or candidate_id"):
        queries.check_holds(rows, tmp_path / "out.trec")
    assert queries.check_holds(rows, tmp_path / "out.jsonl") == []
    assert rows.columns == ("id",)


@pytest.mark.parametrize(("name", "text", "says"), CASES["wrong_input_is_an_error_with_its_row"])
def test_wrong_input_is_an_error_with_its_row(name, text, says, tmp_path):
    with pytest.raises((ValueError, LookupError)) as caught:
        queries.read(written(tmp_path / name, text))
    assert says in str(caught.value)


@pytest.fixture
def ranked(tmp_path):
    rows = "question_id,question,candidate_id,candidate\nq1,Who?,a,Ann\nq1,Who?,b,Bob\nq2,Where?,a,Rome\n"
    questions = queries.read(written(tmp_path / "in.csv", rows))
    return Run("ours", {"q1": {"a": 0.25, "b": 0.5}, "q2": {"a": -1.0}}), questions


def test_a_ranking_is_written_as_a_table_the_best_first_or_a_trec_run(ranked, tmp_path):
    for suffix in (".jsonl", ".csv", ".tsv"):
        queries.write(*ranked, tmp_path / f"out{suffix}")
        rows = files.read(tmp_path / f"out{suffix}").rows
        assert tuple(rows[0]) == queries.COLUMNS
        assert [[str(value) for value in row.values()] for row in rows] == [
            ["q1", "Who?", "1", "0.5", "b", "Bob"],
            ["q1", "Who?", "2", "0.25", "a", "Ann"],
            ["q2", "Where?", "1", "-1.0", "a", "Rome"],
        ]
    queries.write(*ranked, tmp_path / "out.trec")
    assert runs.read_trec(tmp_path / "out.trec").scores == ranked[0].scores
    assert queries.best(ranked[0], 1).scores == {"q1": {"b": 0.5}, "q2": {"a": -1.0}}
    with pytest.raises(ValueError, match="top is 0"):
        queries.best(ranked[0], 0)


@pytest.mark.parametrize("name", ["out.pdf", "none/out.csv", "none/out.trec", "folder.trec", "folder.csv"])
def test_a_file_that_cannot_be_written_is_refused_before(name, tmp_path):
    for suffix in ("trec", "csv"):
        (tmp_path / f"folder.{suffix}").mkdir()
    with pytest.raises((ValueError, OSError), match=r"out\.|folder\."):
        queries.check_output(tmp_path / name)
    queries.check_output(tmp_path / "fine.trec")
    queries.check_output(tmp_path / "fine.jsonl")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.csv", "folder.trec"]
