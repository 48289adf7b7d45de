"""The scores and subsets of the tables of the paper."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.paper_sets import Scored, as_written, in_order


def scored(metric: str, scores: str = "computed", *values: float) -> Scored:
    return Scored(metric, scores, np.array(values), f"{metric}|rev:1")


def test_scores_are_truncated_after_16_decimal_places_and_signed() -> None:
    written = as_written(scored("f1", "computed", 0.1 + 0.2, 2 / 3, 1.0, 1e-17))
    assert written.values.tolist() == [0.3, 0.6666666666666666, 1.0, 0.0]
    assert written.signature == "f1|rev:1|decimals:16"


def test_columns_are_sorted_by_metric_and_recorded_before_computed() -> None:
    columns = [scored("em"), scored("f1"), scored("f1", "recorded"), scored("em", "recorded")]
    assert [(column.metric, column.scores) for column in in_order(columns, ["f1", "em"])] == [
        ("f1", "recorded"),
        ("f1", "computed"),
        ("em", "recorded"),
        ("em", "computed"),
    ]
    with pytest.raises(ValueError, match="not in list"):
        in_order(columns, ["f1"])
