"""What half precision costs: differences by pair, taus by subset, and what cannot be asked for."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau

import answersim
from answersim import profiles
from answersim.data import LabeledPairs
from answersim.runtime.concurrency import forget_loaded
from answersim.types import FloatArray, Pair, Scores
from benchmarks import precision
from benchmarks.precision import METRICS, Row, tables
from benchmarks.tables import text

DATA = LabeledPairs(
    "squad",
    "en",
    tuple(Pair(*name.split("/")) for name in ("p/q", "p r/s", "x/y z", "p/p q", "p q/q", "q r/r")),
    np.array([0.0, 1.0, 2.0, 2.0, 0.0, 1.0]),
)
WHOLE = np.array([0.1, 0.2, 0.3, 0.9, 0.5, 0.7])
HALF = np.array([0.1, 0.35, 0.3, 0.9, 0.75, 0.7])


def row(metric: str = "sas", subset: str = "F1=0", **changes: object) -> Row:
    return Row("squad", subset, metric, "bf16", 3, 0.25, 0.1, 1, 0.5, 0.4, "sas|v:0")._replace(**changes)


@pytest.fixture
def scored(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The metrics give WHOLE in fp32 and HALF else; the precisions that were asked for."""
    asked: list[str] = []

    def score_pairs(pairs: list[Pair], metrics: list[str], **how: str) -> dict[str, Scores]:
        asked.append(how["precision"])
        column: FloatArray = WHOLE if how["precision"] == "fp32" else HALF
        return {metric: Scores(column, f"{metric}/{how['precision']}") for metric in metrics}

    monkeypatch.setattr(answersim, "score_pairs", score_pairs)
    monkeypatch.setattr(precision, "load", lambda name, cleaning: DATA)
    return asked


def test_each_subset_has_its_differences_and_its_taus(scored: list[str]) -> None:
    zero, other = precision.rows("squad", ["sas"], ["bf16"])
    assert scored == ["fp32", "bf16"]
    for metric, at in ((zero, slice(0, 3)), (other, slice(3, 6))):
        assert metric.n == 3
        assert metric.max_abs_diff == np.abs(HALF - WHOLE)[at].max()
        assert metric.mean_abs_diff == pytest.approx(np.abs(HALF - WHOLE)[at].mean())
        assert metric.moved == 1
        assert metric.tau_fp32 == pytest.approx(kendalltau(WHOLE[at], DATA.labels[at]).statistic)
        assert metric.tau == pytest.approx(kendalltau(HALF[at], DATA.labels[at]).statistic)
        assert metric.signature == "sas/bf16"
    assert (zero.subset, other.subset) == ("F1=0", "F1!=0")


def test_a_table_has_the_largest_and_the_mean_difference() -> None:
    rows = [row(n=1, mean_abs_diff=0.2), row(subset="F1!=0", n=3, max_abs_diff=0.5, mean_abs_diff=0.0, tau=0.50001)]
    (result,) = tables([*rows, *(row._replace(metric="f") for row in rows)])
    assert result.rows == tuple(
        (name, "5.0e-01", "5.0e-02", 2, "-0.1000", "0.0000", "1.0e-01") for name in ("sas", "f")
    )
    assert "4 pairs" in result.notes[0]
    assert "bf16 beside fp32" in text(result)


def test_an_undefined_tau_is_shown_as_nan_and_hides_no_other() -> None:
    (result,) = tables([row(tau=math.nan), row(subset="F1!=0")])
    assert result.rows[0][4:] == ("nan", "-0.1000", "1.0e-01")


def test_every_neural_metric_is_measured() -> None:
    assert {"bi-encoder", "sas", "answersim"} <= set(METRICS)
    assert not {"f1", "meteor"} & set(METRICS)


def test_a_device_multiplies_and_scores_in_half_precision(
    tiny: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a device that every machine has; see ``pretend_device``."""
    pretend: Any = pytest.importorskip("tests.rankers.pretend_device")
    from answersim.neural import loading

    monkeypatch.setattr(precision, "load", lambda name, cleaning: DATA)
    monkeypatch.setitem(profiles.WEIGHTS, "bi-encoder", {"embedded": {"*": profiles.Weights(str(tiny()))}})
    forget_loaded()
    on_cpu = precision.rows("squad", ["bi-encoder"], ["bf16"], "cpu")
    forget_loaded()
    with pretend.pretend_device() as device:
        asked: list[str] = []
        monkeypatch.setattr(loading, "device", lambda name: asked.append(name) or device)
        assert precision.able("cuda") == ["bf16", "fp16"]
        assert asked == ["cuda", "cuda"]
        found = precision.rows("squad", ["bi-encoder"], ["bf16"], "cuda")
    forget_loaded()
    for one, other in zip(found, on_cpu, strict=True):
        assert 0 < one.max_abs_diff < 0.02
        assert one.max_abs_diff == pytest.approx(other.max_abs_diff, abs=0.01)
