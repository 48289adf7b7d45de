"""A metric of answersim in lm-evaluation-harness: ``process_results`` for tasks, right with several gold answers.

In the YAML of a task, ``!function answersim.integrations.harnesses.lm_eval.f1`` is ``ProcessResults("f1")``; so are all
names of metrics, with "_" for "-". ``f1_with_reasons`` also logs the reason of each sample. ``TEMPLATE`` is the path of
a task to include. (A callable under ``metric:`` would be called for each gold answer alone, and any score above 0 would
be 1.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from answersim.integrations.shared.fields import RowScorer
from answersim.metrics.catalog import lookup
from answersim.types import Metric

TEMPLATE = str(Path(__file__).with_name("lm_eval.yaml"))
_WITH_REASONS = "_with_reasons"


class ProcessResults:
    """The function of a task from a document and its generated answer to its values.

    The values are NAME, the score, and NAME_equivalent, 1 or 0, if there is a verdict; and NAME_reason if wanted, whose
    aggregation in the YAML must then be ``!function answersim.integrations.harnesses.lm_eval.signature``. The results
    of lm-eval contain the ``repr`` of this object in the configuration of the task, and with it the signature.
    ``reasons``: whether NAME_reason is a value, for the log of samples. ``settings``: those of ``RowScorer``; its
    entries are fields of the document. Common arguments: see ``answersim.integrations``.
    """

    def __init__(self, metric: str | Metric | None = None, *, reasons: bool = False, **settings: Any) -> None:
        """Check the settings."""
        self.scorer, self.reasons = RowScorer(metric, **settings), reasons
        self.name = self.scorer.name.replace("-", "_")

    def __call__(self, doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
        """Return the values of one document. Errors are those of ``RowScorer.row``.

        Raise ValueError if it has several answers, because the task lacks the filter ``take_first``.
        """
        answer = results[0]
        if isinstance(answer, (list, tuple)):
            if len(answer) != 1:
                raise ValueError(f"a document has {len(answer)} answers, but one is scored; add the filter take_first")
            (answer,) = answer
        scored = self.scorer.row(doc, doc, answer)
        values: dict[str, Any] = {self.name: scored.value}
        if scored.passed is not None:
            values[f"{self.name}_equivalent"] = float(scored.passed)
        return values | ({f"{self.name}_reason": scored.reason} if self.reasons else {})

    def __repr__(self) -> str:
        return f"answersim.integrations.harnesses.lm_eval.ProcessResults({self.scorer.signature})"


def signature(reasons: Sequence[str]) -> str:
    """Return the signature in the reasons of all samples, as the aggregate of NAME_reason.

    >>> signature(["f1 0.0: different; signature: f1|text:en|rev:1", "f1 1.0: equivalent; signature: f1|text:en|rev:1"])
    'f1|text:en|rev:1'
    """
    return ", ".join(dict.fromkeys(reason.rpartition("signature: ")[2] for reason in reasons))


def __getattr__(name: str) -> ProcessResults:
    """Return the function for the metric of this name; see the module."""
    metric = name.removesuffix(_WITH_REASONS).replace("_", "-")
    if name.startswith("_") or metric not in (*lookup.names(), *lookup.plug_ins()):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}, and no metric is called {metric!r}")
    return ProcessResults(metric, reasons=name.endswith(_WITH_REASONS))
