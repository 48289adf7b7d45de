"""Data sets of ragas: names of today and of before 0.2, messages as input, test sets without answers."""

import json
from pathlib import Path
from typing import Any

import pytest

from answersim.logs import ragas
from tests.cases import every

WRITTEN = Path(__file__).parent / "data" / "ragas-0.4.3.jsonl"


def read(folder: Path, row: dict[str, Any]) -> list[dict[str, Any]]:
    path = folder / "set.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    return list(ragas.rows(path))


@every(
    ("row", "gold"),
    [
        ({"user_input": "Who?", "retrieved_contexts": ["x"], "response": "b", "reference": "a"}, ["a"]),
        ({"question": "Who?", "contexts": ["x"], "answer": "b", "ground_truth": "a"}, ["a"]),
        ({"question": "Who?", "answer": "b", "ground_truths": ["a", "c"]}, ["a", "c"]),
        ({"user_input": [{"content": "Who?", "type": "human"}], "response": "b", "reference": None}, None),
    ],
)
def test_rows_have_the_reference_and_the_response(tmp_path, row, gold):
    assert read(tmp_path, row) == [{"id": "1", "question": "Who?", "gold": gold, "pred": "b"}]


def test_a_file_of_ragas_itself():
    assert [(row["gold"], row["pred"]) for row in ragas.rows(WRITTEN)] == [
        (["Rome"], "It is Rome."),
        (["eleven"], "11"),
    ]


def test_a_generated_test_set_has_no_answers_yet(tmp_path):
    with pytest.raises(LookupError, match=r"no column 'response' or 'answer' of answers; a generated"):
        read(tmp_path, {"user_input": "Who?", "reference": "a", "synthesizer_name": "single_hop"})
    (tmp_path / "empty.csv").write_text("user_input,response,reference\n")
    assert list(ragas.rows(tmp_path / "empty.csv")) == []
