"""Scores and labels of each system: each fault is named with the system and the id."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from answersim.answers.blocks import Columns
from answersim.answers.reader import Answers
from answersim.evaluation import system_columns


def answers(**own: list[Any]) -> Any:
    table = {"gold": ["a", "b", "c"], "pred": ["a", "x", "c"], "id": [1, "two", 3], **own}
    return Answers(table, Columns(id="id", own=("s", "label", "inclusion", "stratum"))).read()


def test_scores_are_numbers() -> None:
    (found,) = system_columns.scores(answers(s=[1, "0.5", 0]), {"pred": "s"}).values()
    assert found.tolist() == [1, 0.5, 0]
    with pytest.raises(LookupError, match="pred has no column 's' of scores"):
        system_columns.scores(answers(), {"pred": "s"})


@pytest.mark.parametrize("value", [None, "x", float("nan"), float("inf"), [1]])
def test_a_score_that_is_no_number_is_named(value: Any) -> None:
    with pytest.raises(ValueError, match="pred, id 'two': the score 's' is"):
        system_columns.scores(answers(s=[1, value, 0]), {"pred": "s"})


def test_labels_may_be_words_and_missing() -> None:
    found = system_columns.labels(
        answers(label=["yes", None, float("nan")], inclusion=[0.5, None, ""]), {"pred": "label"}
    )
    np.testing.assert_array_equal(found.labels["pred"], [1, np.nan, np.nan])
    np.testing.assert_array_equal(found.inclusion["pred"], [0.5, np.nan, np.nan])
    assert system_columns.labels(answers(), {"pred": "label"}) == ({}, {}, {})
    assert system_columns.labels(answers(label=[1, 0, ""], inclusion=["", None, ""]), {"pred": "label"}).inclusion == {}


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ({"label": [1, 7, None]}, "pred, id 'two': the label is '7'"),
        ({"label": [1, 0, None], "inclusion": [0.5, 1.5, None]}, "id 'two': the inclusion probability is '1.5'"),
        ({"label": [1, 0, None], "inclusion": [0.5, None, None]}, "id 'two': the inclusion probability is 'None'"),
    ],
)
def test_bad_labels_and_probabilities_are_named(own: dict[str, list[Any]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        system_columns.labels(answers(**own), {"pred": "label"})


def test_strata_are_those_of_labeled_rows_and_absent_without_the_column() -> None:
    found = system_columns.labels(answers(label=[1, 0, ""], stratum=[2, "0", None]), {"pred": "label"})
    np.testing.assert_array_equal(found.strata["pred"], [2, 0, np.nan])
    assert system_columns.labels(answers(label=[1, 0, ""]), {"pred": "label"}).strata == {}
