"""One row per answer: labels and scores of each system stay with its predictions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from answersim import read_answers
from answersim._base.errors import SkippedRowsWarning
from answersim.evaluation.agreement.judgments import judgments
from answersim.evaluation.agreement.stacked import stacked

TABLE = {
    "gold": ["Rome", ["Oslo", "Kristiania"]],
    "a": ["in Rome", "Oslo"],
    "b": ["Paris", ""],
    "l_a": [1, 1],
    "l_b": [0, None],
    "part": ["x", "y"],
}


def test_each_answer_has_the_label_of_its_system() -> None:
    rows = stacked(read_answers(TABLE, pred=["a", "b"], group="part"), own={"label": ["l_a", "l_b"]})
    assert rows.preds == ["in Rome", "Oslo", "Paris", ""]
    assert rows.golds == TABLE["gold"] * 2
    assert rows.source.numbered == [1, 2, 1, 2]
    assert rows.source.table.columns == ("gold", "l_a", "part", "system")
    assert rows.source.values("system") == ["a", "a", "b", "b"]
    labels = rows.source.numbers("l_a", empty=True)
    assert labels[:3] == [1, 1, 0]
    assert labels[3] != labels[3]
    assert rows.at([0, 3]).preds == ["in Rome", ""]


def test_one_table_per_system_has_its_own_labels(tmp_path: Path) -> None:
    for name, pred in (("a", "in Rome"), ("b", "Paris")):
        row = {"id": 7, "gold": "Rome", "pred": pred, "label": int(name == "a"), "part": "x"}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row) + "\n")
    answers = read_answers([tmp_path / "a.jsonl", tmp_path / "b.jsonl"])
    rows = stacked(answers, ["part"], {"label": ["label"]})
    assert rows.source.numbers("label") == [1, 0]
    assert [(row["system"], row["part"]) for row in rows.source.table.rows] == [("a", "x"), ("b", "x")]
    judged = judgments(answers, columns=["part"], metric=["em"])
    assert judged.labels.tolist() == [1, 0]
    assert judged.columns["system"] == ["a", "b"]


def test_a_missing_column_and_a_wrong_number_of_columns_are_errors() -> None:
    answers = read_answers(TABLE, pred=["a", "b"])
    with pytest.raises(ValueError, match="1 column is given for 2 systems"):
        stacked(answers, own={"label": ["l_a"]})
    with pytest.raises(LookupError, match="did you mean 'l_a'"):
        stacked(read_answers(TABLE, pred="a"), own={"label": ["l_aa"]})
    with pytest.raises(LookupError, match="no column 'kind'"):
        stacked(answers, ["kind"])


@pytest.mark.parametrize(
    ("cell", "words"), [("good", "must be a number"), (float("inf"), "a finite number"), (None, "must be a number")]
)
def test_a_cell_that_is_no_number_is_named_with_its_row(cell: object, words: str) -> None:
    table = {"gold": [None, "a", "b"], "pred": ["x", "a", "b"], "n": [1, 2, cell]}
    with pytest.warns(SkippedRowsWarning):
        rows = stacked(read_answers(table, skip_bad=True))
    with pytest.raises(ValueError, match=f"row 3: 'n' is .*{words}"):
        rows.source.numbers("n")


def test_a_study_reads_several_golds_bad_rows_and_several_systems() -> None:
    table = TABLE | {"gold": ["Rome|Roma", None], "l_b": [0, 1]}
    with pytest.warns(SkippedRowsWarning, match="1 of 2"):
        judged = judgments(
            read_answers(table, pred=["a", "b"], split_gold="|", skip_bad=True), label=["l_a", "l_b"], metric=["em"]
        )
    assert [(pair.gold, pair.pred) for pair in judged.pairs] == [("Rome", "in Rome"), ("Rome", "Paris")]
    assert judged.labels.tolist() == [1, 0]
    assert dict(judged.raters) == {}
