"""Scores block by block: one column per metric for each system, stored, reused, and with one warning of truncation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import answersim
from answersim.errors import TruncationWarning, warn_user
from answersim.io.partial_results import PartialResults, open_partial_results
from answersim.scoring.blocks import BlockScorer
from answersim.types import FloatArray, Pair

TABLE = {"gold": ["Rome", "Oslo", "Paris"], "a": ["in Rome", "Oslo", ""], "b": ["Rome", "Bergen", "Paris"]}


class Truncating:
    """Scores the length of the prediction, and reports that each text was truncated."""

    signature = "length|rev:1"
    calls = 0

    def __call__(self, pairs: Sequence[Pair], /) -> FloatArray:
        self.calls += 1
        warn_user(TruncationWarning(len(pairs), "texts", self.signature))
        return np.array([float(len(pred)) for _, pred in pairs])


def test_each_system_has_one_column_per_metric() -> None:
    (block,) = answersim.read_answers(TABLE, pred=["a", "b"])
    metrics = [answersim.metric("f1"), answersim.metric("em")]
    found = BlockScorer(metrics, PartialResults(None, ["x"] * 4)).scores(block)
    expected = {
        system: np.array(
            [[metric([Pair(gold, pred)])[0] for metric in metrics] for gold, pred in zip(*pair, strict=True)]
        )
        for system, pair in {name: (TABLE["gold"], TABLE[name]) for name in "ab"}.items()
    }
    assert list(found) == ["a", "b"]
    assert all(np.array_equal(found[system], expected[system]) for system in expected)


def test_stored_scores_are_reused_and_the_truncated_texts_still_counted(tmp_path: Path) -> None:
    (block,) = answersim.read_answers(TABLE, pred=["a", "b"])
    metric = Truncating()
    for _ in range(2):
        with open_partial_results(tmp_path / "out.csv", ["a", "b"]) as draft:
            scorer = BlockScorer([metric], draft)
            assert scorer.scores(block)["b"].ravel().tolist() == [4, 6, 5]
            with pytest.warns(TruncationWarning, match="^6 texts"):
                scorer.warn()
    assert metric.calls == 1
