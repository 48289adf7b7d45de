"""pytest: ``assert_equivalent`` of an answer and ``assert_gate`` of a file, as functions and as fixtures.

pytest loads this file in every session, so it imports nothing of answersim before an answer is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

import pytest

if TYPE_CHECKING:
    from answersim.integrations.shared.base import Scored, Scorer
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
    extract: str | None = None,
) -> None:
    """Assert that a prediction is equivalent to a gold answer; the failure lists score, verdict, gold and signature.

    Args:
        pred: The prediction. None fails.
        gold: The gold answer, or several that are all correct.
        question: The question, for metrics that read it. Others ignore it.
        metric: A name, or a metric that was already built. If None, that of ``--answersim-metric``, of the ini value
            ``answersim_metric``, or the default metric.
        threshold: The score from which on answers are equivalent. If None, that of ``--answersim-threshold`` or of the
            ini value if no other metric is given; without it, verdicts are those of ``evaluate``. A verdict of "unsure"
            fails.
        extract: The rule that reads the final answer out of the prediction; see ``Scorer``.

    Raises:
        AssertionError: If the verdict is not "equivalent".
        LookupError: If no metric has this name.
        TypeError: If a text is not a string.
        ValueError: If the metric has no verdicts for answers of any length, as f1, rouge-l and meteor, and no
            threshold is given.

    >>> assert_equivalent("the Football League", ["NFL", "National Football League"], metric="f1", threshold=0.8)
    """
    __tracebackhide__ = True
    if metric is None:
        metric = _chosen["metric"]
        threshold = _chosen["threshold"] if threshold is None else threshold
    build: Any = _by_name if metric is None or isinstance(metric, str) else _built
    scorer: Scorer = build(metric, threshold, extract)
    scored = scorer.score(question, gold, pred)
    rule = scorer.rule(scored.signature)
    if scored.verdict is None:
        raise ValueError(rule.sentence)
    if rule.least_words:
        raise ValueError(
            f"{scorer.name} has no verdicts for predictions of fewer than {rule.least_words} words, because a shared "
            "word decides it; give threshold=, the score from which answers are equivalent, or another metric"
        )
    if not scored.passed:
        raise AssertionError(_failure(scorer.name, scored, question, pred, threshold))


def assert_gate(
    candidate: Any,
    baseline: Any = None,
    *,
    min_right: float | None = None,
    max_drop: float | None = None,
    undecided: Literal["fail", "skip"] = "fail",
    metric: str | Metric | None = None,
    threshold: float | None = None,
    **settings: Any,
) -> None:
    """Assert that a whole file passes, as ``answersim.gate`` decides. The failure is the summary of the decision.

    Args:
        candidate: The answers: a file, or other data that ``evaluate`` takes.
        baseline: The file or data frame of the baseline, with the same ids. It may also be the first of two columns of
            one table, ``pred=["july", "august"]``.
        min_right: The share of right answers that the candidate must have, such as .8. The lower end of its interval
            must be above.
        max_drop: The largest acceptable drop from the baseline. With a baseline, it is .01 by default.
        undecided: Whether the test fails, or is skipped, if the interval contains a bar. The message states about how
            many answers would decide.
        metric: As ``assert_equivalent``.
        threshold: As ``assert_equivalent``.
        settings: As ``gate``: pred, gold, question, id, calibration, ... Scores of networks are in the score cache
            (``cache=True``).

    Raises:
        AssertionError: If the file does not pass.
        FileNotFoundError, LookupError, TypeError, ValueError: As ``evaluate``, ``compare`` and ``gate``.

    >>> assert_gate({"gold": ["Rome"] * 30, "pred": ["Rome"] * 30}, min_right=0.8, metric="em")
    """
    __tracebackhide__ = True
    from answersim._base.errors import unknown
    from answersim.calibration.verdicts import Verdicts
    from answersim.evaluation.comparison.gating import PASS, UNDECIDED, gate

    if undecided not in ("fail", "skip"):
        raise unknown("undecided", undecided, ("fail", "skip"))
    if metric is None:
        metric = _chosen["metric"]
        threshold = _chosen["threshold"] if threshold is None else threshold
    settings = {"progress": False, "metric": metric, "cache": True} | settings
    settings |= {} if threshold is None else {"calibration": Verdicts(threshold=threshold)}
    data = candidate
    if baseline is not None:
        are_files = all(isinstance(table, (str, PathLike)) for table in (baseline, candidate))
        data = [baseline, candidate] if are_files else {"baseline": baseline, "candidate": candidate}
    try:
        decision = gate(data, max_drop=max_drop, min_right=min_right, **settings)
    except (LookupError, OSError, ValueError) as error:
        raise error.with_traceback(None) from None  # of the caller, and no line of this package
    summary = decision.to_markdown()
    if decision.status == UNDECIDED and undecided == "skip":
        pytest.skip(summary)
    if decision.status != PASS:
        raise AssertionError(summary)


@pytest.fixture(name="assert_gate", scope="session")
def _assert_gate() -> Callable[..., None]:
    """Assert that a whole file passes: ``assert_gate(candidate, baseline=None, min_right=0.8)``."""
    return assert_gate


@pytest.fixture(name="assert_equivalent", scope="session")
def _assert_equivalent() -> Callable[..., None]:
    """Assert that a prediction is equivalent to a gold answer: ``assert_equivalent(pred, gold, question=None)``."""
    return assert_equivalent


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options and the ini values."""
    metric = "metric of assert_equivalent and assert_gate, unless the call names one (see 'answersim show')"
    threshold = "score from which on an answer passes; default: the verdicts of 'answersim evaluate'"
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
    from answersim.integrations.shared.base import Scorer

    try:
        threshold = None if threshold is None else float(threshold)
        Scorer(metric, threshold)
    except (LookupError, TypeError, ValueError) as error:
        raise pytest.UsageError(f"answersim: {error}") from None
    _chosen.update(metric=metric, threshold=threshold)


def pytest_unconfigure() -> None:
    """Forget the options of this session."""
    _chosen.update(metric=None, threshold=None)


def _built(metric: Any, threshold: float | None, extract: str | None) -> Scorer:
    from answersim.integrations.shared.base import Scorer

    return Scorer(metric, threshold, extract=extract)


_by_name = lru_cache(maxsize=64)(_built)


def _failure(name: str, scored: Scored, question: str | None, pred: Any, threshold: float | None) -> str:
    """Return the message of a failure, one line a part."""
    from answersim._base.arguments import is_missing

    if scored.probability is not None:
        rule = f"probability {scored.probability:.2f}"
    elif threshold is not None:
        rule = f"threshold {threshold:g}"
    else:
        rule = "no prediction" if is_missing(pred) else "a score of 0 or 1"
    parts = {
        "question": None if not question else _shown(question),
        "prediction": _shown(pred),
        "gold": _shown(scored.gold),
        "score": f"{scored.value:.4f} ({name})",
        "verdict": f"{scored.verdict} ({rule})",
        "signature": scored.signature,
    }
    lines = [f"  {heading:<11}{text}" for heading, text in parts.items() if text is not None]
    return "\n".join(["the prediction is not equivalent to the gold answer", *lines])


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
