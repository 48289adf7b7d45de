"""Questions without labels out of tables, and rankings into them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from answersim import files
from rankers import asked, runs
from rankers.types import Questions, Run

LONG = "question,candidate\nWho?,Ann\nWhere?,Rome\nWho?,Bob\n"


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def texts(questions: Questions) -> dict[str, set[str]]:
    return {each.text: {candidate.text for candidate in each.candidates} for each in questions}


def test_one_row_a_candidate_and_one_row_a_question_are_the_same_questions(tmp_path: Path) -> None:
    long = asked.read(written(tmp_path / "a.csv", LONG))
    lines = [{"question": "Who?", "candidates": ["Ann", "Bob"]}, {"question": "Where?", "candidates": ["Rome"]}]
    wide = asked.read(written(tmp_path / "b.jsonl", "\n".join(map(json.dumps, lines))))
    assert texts(long) == texts(wide) == {"Who?": {"Ann", "Bob"}, "Where?": {"Rome"}}
    assert [each.id for each in long] == [each.id for each in wide]


def test_ids_are_kept_and_part_questions_with_one_text(tmp_path: Path) -> None:
    rows = "question_id,question,candidate_id,candidate\nq1,Who?,a,Ann\nq2,Who?,a,Bob\n"
    found = asked.read(written(tmp_path / "a.csv", rows))
    assert [(each.id, each.candidates[0].id, each.candidates[0].text) for each in found] == [
        ("q1", "a", "Ann"),
        ("q2", "a", "Bob"),
    ]


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.csv", "question,candidate\n", "holds no rows"),
        ("a.csv", "question,answer\nWho?,Ann\n", "no column 'candidate'"),
        ("a.csv", "question,candidate\n ,Ann\n", "row 1: 'question' is ' '"),
        ("a.csv", "question_id,question,candidate\nq1,Who?,Ann\nq1,Where?,Rome\n", "row 2: the question 'q1'"),
        ("a.csv", "question_id,question,candidate\nq 1,Who?,Ann\n", "row 1: 'question_id' is 'q 1'"),
        ("a.csv", "question,candidate,candidate_id\nWho?,Ann,a\nWho?,Bob,a\n", "row 2: the candidate_id 'a' comes"),
        ("a.jsonl", '{"question": "Who?", "candidates": []}', "row 1: 'candidates'"),
        ("a.jsonl", '{"question": "Who?", "candidate": 3}', "row 1: 'candidate' is 3"),
        ("a.jsonl", '{"question": "Who?", "candidate": "Ann", "question_id": null}', "'question_id' is None"),
        ("a.jsonl", '{"question": "Who?", "candidates": ["a"], "candidate_id": "a"}', "beside a list"),
        ("a.txt", "Who?", "suffix '.txt'"),
    ],
)
def test_what_is_wrong_is_named_with_its_row(name: str, text: str, says: str, tmp_path: Path) -> None:
    with pytest.raises((ValueError, LookupError)) as found:
        asked.read(written(tmp_path / name, text))
    assert says in str(found.value)


@pytest.fixture
def ranked(tmp_path: Path) -> tuple[Run, Questions]:
    rows = "question_id,question,candidate_id,candidate\nq1,Who?,a,Ann\nq1,Who?,b,Bob\nq2,Where?,a,Rome\n"
    questions = asked.read(written(tmp_path / "in.csv", rows))
    return Run("ours", {"q1": {"a": 0.25, "b": 0.5}, "q2": {"a": -1.0}}), questions


def test_a_ranking_is_written_as_a_table_the_best_first(ranked: tuple[Run, Questions], tmp_path: Path) -> None:
    for suffix in (".jsonl", ".csv", ".tsv"):
        asked.write(*ranked, tmp_path / f"out{suffix}")
        rows = files.read(tmp_path / f"out{suffix}").rows
        assert tuple(rows[0]) == asked.COLUMNS
        assert [[str(each) for each in row.values()] for row in rows] == [
            ["q1", "Who?", "1", "0.5", "b", "Bob"],
            ["q1", "Who?", "2", "0.25", "a", "Ann"],
            ["q2", "Where?", "1", "-1.0", "a", "Rome"],
        ]


def test_a_ranking_is_written_as_a_trec_run(ranked: tuple[Run, Questions], tmp_path: Path) -> None:
    asked.write(*ranked, tmp_path / "out.trec")
    assert runs.read_trec(tmp_path / "out.trec").scores == ranked[0].scores


def test_only_the_best_are_kept_where_that_is_asked_for(ranked: tuple[Run, Questions]) -> None:
    assert asked.best(ranked[0], 1).scores == {"q1": {"b": 0.5}, "q2": {"a": -1.0}}
    with pytest.raises(ValueError, match="top is 0"):
        asked.best(ranked[0], 0)


@pytest.mark.parametrize("name", ["out.pdf", "none/out.csv", "none/out.trec", "folder.trec", "folder.csv"])
def test_a_file_that_cannot_be_written_is_refused_before(name: str, tmp_path: Path) -> None:
    for suffix in ("trec", "csv"):
        (tmp_path / f"folder.{suffix}").mkdir()
    with pytest.raises((ValueError, OSError), match=r"out\.|folder\."):
        asked.check_output(tmp_path / name)
    asked.check_output(tmp_path / "fine.trec")
    asked.check_output(tmp_path / "fine.jsonl")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["folder.csv", "folder.trec"]
