"""Does a metric agree with several raters as they agree with each other? The z of Judge's Verdict, on yes and no."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim.agreement.binary import FEWEST, FOLDS, Kind, grouped, scored_columns
from answersim.agreement.judgments import Judgments
from answersim.stats import confusion
from answersim.stats.cluster_bootstrap import draw, sums
from answersim.stats.confusion import Confusion
from answersim.stats.cross_fit import cross_fitted, folds_of
from answersim.stats.human_likeness import FEWEST_RATERS, Interpretation, human_likeness, interpretation
from answersim.stats.resampling import Estimate, estimated, generator
from answersim.types import FloatArray

_TOGETHER = 2_000_000  # counts of resamples that are in memory at a time


class RaterAgreementRow(NamedTuple):
    """The human-likeness of one column over a subset, or the agreement of a rater with the others."""

    subset: str  # the name of the subset
    column: str  # the metric, the baseline or the rater
    kind: Kind  # "metric", "baseline" or "rater"
    kappa: Estimate  # the mean of Cohen's kappa with each (other) rater, with an interval over questions
    # the kappa less the mean of the raters, in standard deviations of the raters, with its interval; nan for raters
    z: Estimate
    reading: Interpretation  # the interpretation of z


def rater_agreement_rows(
    part: Judgments, subset: str, *, level: float, resamples: int, seed: int
) -> Iterator[RaterAgreementRow]:
    """Yield the human-likeness over a subset. Yield nothing unless at least three raters label with yes and no.

    A metric gives one verdict per row: by a threshold that is cross-fitted to the majority of the raters. A tie of the
    raters counts as no. A row without a label of a rater does not count for the kappas of this rater.

    Source: Han et al. 2025, "Judge's Verdict" (arXiv 2510.09738). See ``answersim.stats.human_likeness``.
    """
    ratings = np.stack(list(part.raters.values())) if part.raters else np.empty((0, len(part)))
    values = np.unique(ratings[~np.isnan(ratings)])
    if len(ratings) < FEWEST_RATERS or len(values) != 2:
        return
    groups = grouped(part)
    n_groups = int(groups.max(initial=-1)) + 1
    given = ~np.isnan(ratings)
    positive = given & (ratings == values[1])
    truth = positive.sum(axis=0) > given.sum(axis=0) / 2
    if n_groups < FEWEST or truth.all() or not truth.any():
        return
    rng = generator(seed, subset, "human-likeness")
    folds = folds_of(groups.tolist(), min(FOLDS, n_groups), rng)
    scored = scored_columns(part)
    called = [cross_fitted(scores, truth, folds).called for _, _, scores in scored]
    cells = _cells(
        np.array([*called, *positive]), np.concatenate([np.ones((len(called), len(part)), bool), given]), given
    )
    whole = human_likeness(*_kappas(cells.sum(axis=-1)[..., None], len(called)))
    parts = []
    for start in range(0, resamples, step := max(1, _TOGETHER // len(part))):
        drawn = draw(groups, min(step, resamples - start), rng)
        totals = sums(cells.reshape(-1, len(part)), drawn).reshape(*cells.shape[:-1], -1)
        parts.append(human_likeness(*_kappas(totals, len(called))))
    of_judges, of_raters, of_z = (np.concatenate(columns, axis=1) for columns in zip(*parts, strict=True))
    for i, (name, kind, _) in enumerate(scored):
        z = estimated(whole.z[i, 0], of_z[i], level)
        kappa = estimated(whole.judge[i, 0], of_judges[i], level)
        yield RaterAgreementRow(subset, name, kind, kappa, z, interpretation(z.value))
    for i, name in enumerate(part.raters):
        kappa = estimated(whole.rater[i, 0], of_raters[i], level)
        yield RaterAgreementRow(subset, name, "rater", kappa, Estimate(np.nan, np.nan, np.nan), "-")


def _cells(verdicts: NDArray[np.bool_], rows: NDArray[np.bool_], given: NDArray[np.bool_]) -> FloatArray:
    """Return the confusion cells of each judge and rater with each rater, shape (judges + raters, raters, 4, n)."""
    n_raters = len(given)
    raters = verdicts[-n_raters:]
    return np.array(
        [
            [confusion.cells(mine, truth) * (held & there) for truth, there in zip(raters, given, strict=True)]
            for mine, held in zip(verdicts, rows, strict=True)
        ]
    )


def _kappas(totals: FloatArray, judges: int) -> tuple[FloatArray, FloatArray]:
    """Return the kappas of judges and of raters with each rater, from cells of shape (..., raters, 4, samples)."""
    kappas = confusion.kappa(Confusion(*np.moveaxis(totals, 2, 0)))
    return kappas[:judges], kappas[judges:]
