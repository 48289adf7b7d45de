"""Scores and labels of each system: each fault is named with the system and the id."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from answersim._base.io.files import Table
from answersim.answers.tables import system_columns
from answersim.answers.tables.reader import read_answers
from answersim.evaluation.labels import label_sources
from tests.cases import every


def answers(**own: list[Any]) -> Any:
    table = {"gold": ["a", "b", "c"], "pred": ["a", "x", "c"], "id": [1, "two", 3], **own}
    return read_answers(table, id="id")


def test_scores_are_numbers() -> None:
    (result,) = system_columns.scores(answers(s=[1, "0.5", 0]), {"pred": "s"}).values()
    assert result.tolist() == [1, 0.5, 0]
    with pytest.raises(LookupError, match="pred has no column 's' of scores"):
        system_columns.scores(answers(), {"pred": "s"})


@every("value", [None, "x", float("nan"), float("inf"), [1]])
def test_a_score_that_is_no_number_is_named(value: Any) -> None:
    with pytest.raises(ValueError, match="pred, id 'two': the score 's' is"):
        system_columns.scores(answers(s=[1, value, 0]), {"pred": "s"})


def labeled(**own: list[Any]) -> Any:
    return label_sources.system_labels("label", answers(**own), least=0)["pred"]


def test_labels_in_a_column_may_be_words_and_missing() -> None:
    result = labeled(label=["yes", None, float("nan")], inclusion=[0.5, None, ""], stratum=["2", None, ""])
    np.testing.assert_array_equal(np.stack(result), [[1, np.nan, np.nan], [0.5, np.nan, np.nan], [2, np.nan, np.nan]])
    assert labeled(label=[1, 0, ""], inclusion=["", None, ""])[1:] == (None, None)
    assert labeled(label=[1, 0, ""], inclusion=[1, 1, 1], stratum=[1, None, None]).strata is None
    with pytest.raises(LookupError, match="pred has no column 'label' of labels"):
        labeled()


@every(
    ("own", "message"),
    [
        ({"label": [1, 7, None]}, "pred, id 'two': the label is '7'"),
        ({"label": [1, 0, None], "inclusion": [0.5, None, None]}, "1 of the 2 labels of pred have no inclusion"),
        ({"label": [1, 0, None], "stratum": [1, "x", None]}, "id 'two': the stratum is 'x'"),
    ],
)
def test_bad_labels_and_probabilities_are_named(own: dict[str, list[Any]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        labeled(**own)


def test_columns_are_one_for_all_tables_or_one_per_system() -> None:
    two = read_answers({"gold": ["a"], "x": ["a"], "y": ["b"]}, pred=["x", "y"])
    rows = {"x": {"id": 1, "gold": "a", "pred": "a"}, "y": {"id": 1, "pred": "b"}}
    tables = read_answers({system: Table(tuple(row), [row]) for system, row in rows.items()})
    assert system_columns.by_system(tables, "label", ["l"]) == {"x": "l", "y": "l"}
    assert system_columns.by_system(two, "label", ["l", "m"]) == {"x": "l", "y": "m"}
    with pytest.raises(ValueError, match="1 column of labels for 2 systems; give one column per system"):
        system_columns.by_system(two, "label", ["l"])
