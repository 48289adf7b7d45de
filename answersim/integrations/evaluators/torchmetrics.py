"""A metric of answersim in torchmetrics: states that reduce over processes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from answersim.integrations.shared.base import Scorer, host
from answersim.types import Metric

with host(__name__):
    import torch
    import torchmetrics
    from torchmetrics.utilities import dim_zero_cat


class AnswerSimilarity(torchmetrics.Metric):  # type: ignore[misc] # the library is not there for mypy
    """The mean score of predicted answers, with the share of equivalent ones.

    Texts cannot be states, so the scores are: ``update`` appends one row per prediction, which is concatenated over
    processes. ``compute`` adds them with ``math.fsum``, so that its result does not depend on the number of processes.
    Common arguments: see ``answersim.integrations``.

    ``compute`` returns a dictionary of float64 tensors: NAME, the mean (nan before the first update); NAME_equivalent,
    the share of rows with the verdict "equivalent" (nan if a row has no verdict); and ``scores`` with shape (n,) if
    ``return_scores`` is set. (torchmetrics makes a scalar of one row.) ``settings``: further ones of ``Scorer``, such
    as ``{"threshold": 0.8}``. ``kwargs``: those of ``torchmetrics.Metric``, such as ``sync_on_compute``.
    """

    is_differentiable = False
    higher_is_better = True
    full_state_update = False
    plot_lower_bound = 0.0
    plot_upper_bound = 1.0

    scores: list[torch.Tensor]
    verdicts: list[torch.Tensor]

    def __init__(
        self,
        metric: str | Metric | None = None,
        *,
        return_scores: bool = False,
        settings: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Check the settings."""
        super().__init__(**kwargs)
        self.scorer = Scorer(metric, **(settings or {}))
        self.return_scores = return_scores
        self.set_dtype(torch.float64)  # also of the empty state of a process without rows
        self.add_state("scores", default=[], dist_reduce_fx="cat")
        self.add_state("verdicts", default=[], dist_reduce_fx="cat")

    @property
    def signature(self) -> str:
        """The signature of the metric, for the logs."""
        return self.scorer.signature

    def update(
        self,
        preds: str | Sequence[str | None],
        target: str | Sequence[str | Sequence[str]],
        questions: str | Sequence[str] | None = None,
    ) -> None:
        """Score predictions, or one. Errors are those of ``Scorer.score_columns``.

        ``target``: one entry per prediction, a text or a list of texts that are all correct. ``questions``: one per
        prediction, for metrics that read questions.
        """
        golds: Sequence[Any] = target
        if isinstance(preds, str):
            preds, golds, questions = [preds], [target], None if questions is None else [str(questions)]
        rows = self.scorer.score_columns(golds, preds, questions)
        passed = [float("nan") if row.passed is None else float(row.passed) for row in rows]
        self.scores.append(torch.tensor([row.value for row in rows], dtype=self.dtype, device=self.device))  # (n,)
        self.verdicts.append(torch.tensor(passed, dtype=self.dtype, device=self.device))  # (n,)

    def compute(self) -> dict[str, torch.Tensor]:
        """Return the means over all processes."""
        scores, verdicts = (
            dim_zero_cat(state) if len(state) else torch.zeros(0, dtype=self.dtype)
            for state in (self.scores, self.verdicts)
        )
        result = {self.scorer.name: _mean(scores), f"{self.scorer.name}_equivalent": _mean(verdicts)}
        return result | ({"scores": scores} if self.return_scores else {})


def _mean(values: torch.Tensor) -> torch.Tensor:
    """Return the correctly rounded mean, which no order of rows changes; nan if there are none."""
    mean = math.fsum(values.tolist()) / len(values) if len(values) else math.nan
    return torch.tensor(mean, dtype=values.dtype, device=values.device)
