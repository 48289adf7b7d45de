"""Columns of answers: what frames and record batches share. Their tests call it through both."""

import numpy as np
import pytest

import answersim
from answersim.integrations.columns import ColumnScorer, metrics_by_column

GOLDS, PREDS = ["Rome", ["eleven", "11"], "cortex"], ["in Rome", "11", None]


def test_columns_and_signatures_of_rows_with_a_missing_prediction():
    columns, signatures = ColumnScorer(missing="zero", verdicts=True).columns(["f1"], GOLDS, PREDS)
    assert list(columns) == ["f1", "f1_probability", "f1_verdict"]
    assert columns["f1"].tolist() == [float(answersim.score("Rome", "in Rome", "f1")), 1.0, 0.0]
    assert columns["f1_verdict"].tolist()[2] == "different"
    assert signatures == {"f1": answersim.metric("f1").signature}


def test_checked_answers_have_one_pair_per_gold_answer():
    checked, absent = ColumnScorer(missing="zero").checked(GOLDS, PREDS)
    assert checked.pairs == [("Rome", "in Rome"), ("eleven", "11"), ("11", "11")]
    assert checked.first.tolist() == [0, 1]
    assert absent.tolist() == [False, False, True]
    with pytest.raises(ValueError, match="the prediction of row 2 is missing"):
        ColumnScorer().checked(GOLDS, PREDS)


def test_no_rows_give_empty_columns_of_the_types_of_rows():
    columns, _ = ColumnScorer(verdicts=True).columns({"mine": "em"}, [], [])
    assert {name: column.dtype for name, column in columns.items()} == {"mine": np.float64, "mine_verdict": object}


def test_metrics_have_the_names_of_their_columns():
    assert metrics_by_column("f1") == metrics_by_column(["f1"]) == {"f1": "f1"}
    assert metrics_by_column({"mine": "f1"}) == {"mine": "f1"}
    with pytest.raises(ValueError, match="metric is empty"):
        metrics_by_column({})
