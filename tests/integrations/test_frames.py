"""Data frames and datasets: one column per metric, the numbers of ``score_pairs``, the rows of the input."""

import json
from typing import Any

import numpy as np
import pytest

import answersim
from answersim.integrations import frames
from tests.integrations.hosts.engines import Asking

COLUMNS = {
    "gold": ["National Football League", "eleven", "cortex"],
    "pred": ["the Football League", "11", "brain"],
    "question": ["Which league?", "How many?", ""],
}
PAIRS = list(zip(COLUMNS["gold"], COLUMNS["pred"], strict=True))
EXPECTED = answersim.score_pairs(PAIRS, ["f1", "em"])


def made(library: str, columns: dict[str, Any]) -> Any:
    """A frame of this library."""
    module = pytest.importorskip(library)
    return module.Dataset.from_dict(columns) if library == "datasets" else module.DataFrame(columns)


libraries = pytest.mark.parametrize("library", ["pandas", "polars", "datasets"])
named = pytest.mark.parametrize("library", ["pandas", "polars"])


def values(frame: Any, column: str) -> list[Any]:
    return list(frame[column])


@named
def test_the_accessor_returns_a_column_per_metric(library):
    frame = made(library, COLUMNS)
    scored = frame.answersim.score(["f1", "em"])
    assert type(scored) is type(frame)
    assert list(scored.columns) == ["f1", "em"]
    for name, scores in EXPECTED.items():
        assert values(scored, name) == scores.values.tolist()


def test_pandas_keeps_the_index_and_the_signatures_and_changes_nothing():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(COLUMNS, index=["x", "y", "z"])
    before = frame.copy()
    scored = frame.answersim.score(["f1"])
    assert list(scored.index) == ["x", "y", "z"]
    assert scored.attrs["signatures"] == {"f1": EXPECTED["f1"].signature}
    pandas.testing.assert_frame_equal(frame, before)
    assert frame.join(scored).shape == (3, 4)


@libraries
def test_the_function_takes_each_library_other_columns_and_several_references(library):
    frame = made(library, {"answers": [["NFL", "the NFL"], ["a"]], "output": ["NFL", "b"]})
    scored = frames.score(frame, {"exact": "em"}, gold="answers", pred="output")
    assert values(scored, "exact") == [1.0, 0.0]


def test_a_dataset_keeps_the_signatures():
    scored = frames.score(made("datasets", COLUMNS), ["f1"])
    assert json.loads(scored.info.description) == {"signatures": {"f1": EXPECTED["f1"].signature}}


@libraries
def test_verdicts_are_two_more_columns(library):
    scored = frames.score(made(library, COLUMNS), ["f1"], verdicts=True)
    ours = answersim.score(COLUMNS["gold"], COLUMNS["pred"], "f1", calibration="shipped")
    assert values(scored, "f1_verdict") == ours.verdicts.tolist()
    np.testing.assert_allclose(values(scored, "f1_probability"), ours.probabilities)


@libraries
def test_a_missing_answer_is_refused_or_scored_0(library):
    frame = made(library, {"gold": ["a", "b"], "pred": [None, "b"]})
    with pytest.raises(ValueError, match="the prediction of row 0 is missing"):
        frames.score(frame, ["em"])
    assert values(frames.score(frame, ["em"], missing="zero"), "em") == [0.0, 1.0]
    with pytest.raises(ValueError, match="row 1 has no gold answer"):
        frames.score(made(library, {"gold": ["a", None], "pred": ["a", "b"]}), ["em"])


def test_questions_are_read_by_the_metrics_that_do():
    frame = made("pandas", COLUMNS)
    scored = frame.answersim.score({"asking": Asking()}, question="question")
    assert values(scored, "asking") == [13.0, 9.0, 0.0]
    assert scored.attrs["signatures"]["asking"] == "asking|question:yes|v:1"
    with pytest.raises(ValueError, match="f1 reads no question"):
        frame.answersim.score(["f1"], question="question")


def test_a_missing_column_is_an_error_before_any_work():
    """Settings: test_arrow.py."""
    with pytest.raises(LookupError, match="no column is called 'golds'; did you mean 'gold'"):
        frames.score(made("pandas", COLUMNS), gold="golds")


def test_other_objects_are_refused():
    with pytest.raises(TypeError, match="must be a DataFrame of pandas or polars"):
        frames.score(COLUMNS)
