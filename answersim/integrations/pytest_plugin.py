"""pytest: ``assert_equivalent`` as a function and as a fixture, and the option ``--answersim-metric``.

pytest loads this file in every session, so it imports nothing of answersim before an answer is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from answersim.integrations.base import Scored, Scorer
    from answersim.types import Metric

_SHOWN = 400  # characters of a text in a failure
_chosen: dict[str, Any] = {"metric": None, "threshold": None}  # by the command line or the ini file of the session


def assert_equivalent(
    pred: Any,
    gold: str | Sequence[str],
    *,
    question: str | None = None,
    metric: str | Metric | None = None,
    threshold: float | None = None,
) -> None:
    """Assert that a prediction is equivalent to a gold answer; the failure lists score, verdict, gold and signature.

    Args:
        pred: The prediction. None fails.
        gold: The gold answer, or several that are all correct.
        question: The question, for metrics that read it. Others ignore it.
        metric: A name, or a metric that was already built. If None, that of ``--answersim-metric``, of the ini value
            ``answersim_metric``, or the default metric.
        threshold: The score from which on answers are equivalent. If None, that of ``--answersim-threshold`` or of the
            ini value if no other metric is given, or else the calibration that ships for the metric decides. A verdict
            of "unsure" fails.

    Raises:
        AssertionError: If the verdict is not "equivalent".
        LookupError: If no metric has this name.
        TypeError: If a text is not a string.
        ValueError: If the metric has no calibration that ships, and no threshold is given.

    >>> assert_equivalent("the Football League", ["NFL", "National Football League"], metric="f1", threshold=0.8)
    """
    __tracebackhide__ = True
    if metric is None:
        metric = _chosen["metric"]
        threshold = _chosen["threshold"] if threshold is None else threshold
    scorer = _scorer(metric, threshold)
    scored = scorer.score(question, gold, pred)
    if scored.verdict is None:
        raise ValueError(
            f"no calibration ships for {scored.signature}, so the score {scored.value:.4f} of {scorer.name} gives no "
            "verdict; give threshold=, such as threshold=1 for em"
        )
    if not scored.passed:
        raise AssertionError(_failure(scorer.name, scored, question, pred, threshold))


@pytest.fixture(name="assert_equivalent", scope="session")
def _assert_equivalent() -> Callable[..., None]:
    """Assert that a prediction is equivalent to a gold answer: ``assert_equivalent(pred, gold, question=None)``."""
    return assert_equivalent


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options and the ini values."""
    metric = "metric of assert_equivalent, unless the call names one (see 'answersim list')"
    threshold = "score from which on assert_equivalent passes; default: the verdict of the shipped calibration"
    group = parser.getgroup("answersim")
    group.addoption("--answersim-metric", metavar="NAME", help=metric)
    group.addoption("--answersim-threshold", metavar="SCORE", type=float, help=threshold)
    parser.addini("answersim_metric", metric)
    parser.addini("answersim_threshold", threshold)


def pytest_configure(config: pytest.Config) -> None:
    """Read the options. No network is loaded.

    Raises:
        pytest.UsageError: If no metric has this name, or the threshold is not a number.
    """
    metric = config.getoption("--answersim-metric") or config.getini("answersim_metric") or None
    threshold = config.getoption("--answersim-threshold")
    if threshold is None:
        threshold = config.getini("answersim_threshold") or None
    if metric is None and threshold is None:
        return
    from answersim.integrations.base import Scorer

    try:
        threshold = None if threshold is None else float(threshold)
        Scorer(metric, threshold)
    except (LookupError, TypeError, ValueError) as error:
        raise pytest.UsageError(f"answersim: {error}") from None
    _chosen.update(metric=metric, threshold=threshold)


def pytest_unconfigure() -> None:
    """Forget the options of this session."""
    _chosen.update(metric=None, threshold=None)


def _scorer(metric: Any, threshold: float | None) -> Scorer:
    from answersim.integrations.base import Scorer

    return _by_name(metric, threshold) if metric is None or isinstance(metric, str) else Scorer(metric, threshold)


@lru_cache(maxsize=64)
def _by_name(metric: str | None, threshold: float | None) -> Scorer:
    from answersim.integrations.base import Scorer

    return Scorer(metric, threshold)


def _failure(name: str, scored: Scored, question: str | None, pred: Any, threshold: float | None) -> str:
    """Return the message of a failure, one line a part."""
    rule = f"threshold {threshold:g}" if threshold is not None else "no prediction"
    if scored.probability is not None:
        rule = f"probability {scored.probability:.2f}"
    parts = {
        "question": None if not question else _shown(question),
        "prediction": _shown(pred),
        "gold": _shown(scored.gold),
        "score": f"{scored.value:.4f} ({name})",
        "verdict": f"{scored.verdict} ({rule})",
        "signature": scored.signature,
    }
    lines = [f"  {part:<11}{text}" for part, text in parts.items() if text is not None]
    return "\n".join(["the prediction is not equivalent to the gold answer", *lines])


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
