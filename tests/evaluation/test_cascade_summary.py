"""summarize_cascade: what a cascade decided, saved and cost, and what agreement it lost."""

from __future__ import annotations

import pytest

import answersim
from answersim.composite.cascade import Cascade
from answersim.composite.stages import EVERY, Stage
from tests.cases import every
from tests.table_metric import Table

CHEAP = {"a": 0.99, "b": 0.97, "c": 0.5, "d": 0.01}
LAST = {"a": 1.0, "b": 0.0, "c": 0.6, "d": 0.0}


def cascade() -> tuple[Cascade, Table]:
    last = Table("judge", LAST, "remote")
    cheap = Stage("cheap", Table("cheap", CHEAP, "remote"), 0.05, 0.95, raw=True)
    return Cascade((cheap, Stage("judge", last, *EVERY, raw=True))), last


def test_what_was_decided_and_saved() -> None:
    metric, last = cascade()
    result = answersim.summarize_cascade(metric, ["g"] * 4, list("abcd"), prices={"judge": 0.25})
    assert result.scores.values.tolist() == [0.99, 0.97, 0.6, 0.01]
    assert result.scores == answersim.score(["g"] * 4, list("abcd"), metric)
    assert result.stages == ("cheap", "cheap", "judge", "cheap")
    assert (result.usage.saved, result.cost, result.cost_alone) == (3, 0.25, 1.0)
    assert (result.agreement, result.accuracy, result.more_errors) == (None, None, None)
    assert result.unsure == 0.25
    assert len(last.called) == 2  # once for the other call
    assert result.summary()[1] == "cost 0.25; judge alone would have cost 1"


@every("alone", [True, [1, 0, 1, 0], [0.8, 0.2, 0.6, 0.4]])
def test_the_agreement_that_is_lost(alone: object) -> None:
    metric, last = cascade()
    result = answersim.summarize_cascade(metric, ["g"] * 4, list("abcd"), alone=alone, labels=[1, 0, 0, 0])
    assert len(last.called) == (5 if alone is True else 1)
    assert result.agreement is not None
    assert result.agreement.value == 0.75
    assert result.agreement.low < 0.75 < result.agreement.high
    assert result.accuracy is not None
    assert result.accuracy.value == 0.5
    assert result.more_errors is not None
    assert result.more_errors.value == 0.25
    assert result.more_errors.low < 0 < result.more_errors.high
    assert "another verdict than judge alone: 25.00 [" in str(result)
    assert "errors, less those of judge alone: 25.00 [" in str(result)


def test_intervals_are_over_questions() -> None:
    metric, _ = cascade()
    preds = list("abcd") * 50
    questions = [f"q{i // 20}" for i in range(200)]
    plain = answersim.summarize_cascade(metric, ["g"] * 200, preds, alone=True)
    grouped = answersim.summarize_cascade(metric, ["g"] * 200, preds, question=questions, alone=True)
    assert plain.agreement is not None
    assert grouped.agreement is not None
    assert plain.agreement.value == grouped.agreement.value == 0.75
    assert plain.agreement.low < 0.75 < plain.agreement.high
    assert grouped.agreement != plain.agreement  # each question has the same share, so that its interval has no width
    same = answersim.summarize_cascade(metric, ["g"] * 200, preds, groups=questions, alone=True)
    assert same.agreement == grouped.agreement


def test_equal_verdicts_have_an_interval_too() -> None:
    metric, _ = cascade()
    result = answersim.summarize_cascade(metric, ["g"] * 30, ["a"] * 30, alone=True)
    assert result.agreement is not None
    assert (result.agreement.value, result.agreement.high) == (1.0, 1.0)
    assert 0.85 < result.agreement.low < 0.9


def test_several_gold_answers() -> None:
    metric, last = cascade()
    result = answersim.summarize_cascade(metric, [["g", "h"], ["g", "h"]], ["c", "a"], alone=True)
    assert result.usage.pairs == 4
    assert result.usage.asked == (3, 2)  # both stages are services: the second gold answer of "a" is not needed
    assert result.stages == ("judge", "cheap")
    assert len(last.called) == 6


@every(
    ("change", "error", "message"),
    [
        ({"alone": [1]}, ValueError, "there are 4 predictions and 1 numbers in alone"),
        ({"alone": [1, 2, 0, 1]}, ValueError, "alone contains a number that is not between 0 and 1"),
        ({"labels": [1]}, ValueError, "there are 4 predictions and 1 labels"),
        ({"prices": {"gpt": 1.0}}, LookupError, "no stage with a price is called 'gpt'"),
        ({"bootstrap": 2}, TypeError, "bootstrap is 2"),
    ],
)
def test_settings_outside_their_range_are_refused(
    change: dict[str, object], error: type[Exception], message: str
) -> None:
    metric, _ = cascade()
    with pytest.raises(error, match=message):
        answersim.summarize_cascade(metric, ["g"] * 4, list("abcd"), **change)
    with pytest.raises(ValueError, match="there are no answers, so there is no usage"):
        answersim.summarize_cascade(metric, [], [])
    with pytest.raises(TypeError, match="it must be a cascade"):
        answersim.summarize_cascade(answersim.metric("f1"), ["a"], ["a"])
