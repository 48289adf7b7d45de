"""What few labels say of a metric on all answers: the corrected share of right answers, and the errors of verdicts."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray
from answersim._base.text_tables import TextTable, counted, with_interval
from answersim.calibration.verdicts import Decided
from answersim.evaluation.data.row_groups import Mask
from answersim.evaluation.labels.correction import MeanEstimate, estimate_mean, powered_estimate
from answersim.evaluation.labels.human_labels import FEWEST_LABELS, SystemLabels
from answersim.stats.few_labels.error_rates import ErrorRates, error_rates
from answersim.stats.intervals.resampling import Bootstrap, Estimate

ALL = "all"  # the subset of all answers
NO_ESTIMATE = Estimate(math.nan, math.nan, math.nan)


class LabeledShare(NamedTuple):
    """What the labels say of the answers of one system."""

    system: str  # the name of the system
    ppi: MeanEstimate  # by prediction-powered inference on the probabilities, or on the scores if the rule has none
    # from the verdicts and their true positive and negative rates among the labels; "unsure" counts as not right. None
    # without verdicts, or if the labels cannot give the rates.
    rogan_gladen: MeanEstimate | None
    # how often the verdict "right" is given to wrong answers, and not to right ones. None without verdicts, or if no
    # answer with this verdict, or no other answer, has a label.
    errors: ErrorRates | None = None
    subset: str = ALL  # the name of the subset of the answers

    def __str__(self) -> str:
        powered = self.ppi
        return (
            f"{with_interval(powered, '.1f', 100, ' %')} right by {powered.n_labeled:,} labels, which are worth "
            f"{powered.labels_worth:,.0f} with the scores"
        )

    def summary(self) -> list[str]:
        """Return the share, and the errors of the verdicts."""
        if self.errors is None:
            return [str(self)]
        wrong, right = (_rate(rate) for rate in self.errors[:2])
        return [
            str(self),
            f"accepts {wrong} of the wrong answers and rejects {right} of the right ones, by the same labels",
        ]


def labeled_shares(
    labels: Mapping[str, SystemLabels],
    decided: Mapping[str, Decided],
    groups: Sequence[Hashable] | None,
    level: float,
    subsets: Iterable[tuple[str, Mapping[str, Mask]]],
) -> tuple[tuple[LabeledShare, ...], list[str]]:
    """Return the shares of the labeled systems by subset, and notes.

    ``groups``: the number of the cluster of each row, such as its question; None if each row is its own. ``subsets``:
    for each system a mask of its answers. A subset with fewer than 10 labels of a system has no share of it. Raise
    ValueError if a system has too few labels, or labels of too few clusters. See ``correction.estimate_mean``.
    """
    shares, notes = [], []
    for subset, masks in subsets:
        for system, of_system in labels.items():
            mask = masks[system]
            if subset != ALL and (~np.isnan(of_system.labels[mask])).sum() < FEWEST_LABELS:
                notes.append(f"{system}, {subset}: fewer than {FEWEST_LABELS} labels, so there is no share by labels")
                continue
            name = system if subset == ALL else f"{system}, {subset}"
            share, remarks = _share(name, *_part(of_system, decided[system], groups, mask), level)
            shares.append(share._replace(system=system, subset=subset))
            notes += [f"{name}: {remark}" for remark in remarks]
    for system, of_system in labels.items():
        if of_system.n_open:
            notes.append(
                f"{system}: {counted(of_system.n_open, 'drawn row')} without a label. Rows that were skipped because "
                "they are hard bias the estimate"
            )
    return tuple(shares), notes


def _part(
    of_system: SystemLabels, decided: Decided, groups: Sequence[Hashable] | None, mask: Mask
) -> tuple[SystemLabels, Decided, Any]:
    """Return the same of the rows under the mask."""
    labels = SystemLabels(*(None if column is None else column[mask] for column in of_system))  # type: ignore[arg-type] # labels
    columns = (None if column is None else column[mask] for column in decided)
    return labels, Decided(*columns), None if groups is None else np.asarray(groups)[mask]  # type: ignore[arg-type] # scores


def _share(
    name: str, of_system: SystemLabels, decided: Decided, groups: Any, level: float
) -> tuple[LabeledShare, list[str]]:
    scores = decided.scores if decided.probabilities is None else decided.probabilities
    settings: dict[str, Any] = {"groups": groups, "inclusion": of_system.inclusion, "bootstrap": Bootstrap(level)}
    try:
        ppi = estimate_mean(scores, of_system.labels, strata=of_system.strata, **settings)
    except ValueError as error:
        raise ValueError(f"labels of {name}: {error}") from error
    notes, rogan_gladen, errors = list(ppi.notes), None, None
    if (right := decided.right()) is not None:
        try:
            rogan_gladen = estimate_mean(right, of_system.labels, method="rogan-gladen", **settings)
        except ValueError as error:
            notes.append(f"no estimate of Rogan-Gladen: {error}")
        weights = None if of_system.inclusion is None else 1 / of_system.inclusion
        numbers = None if groups is None else np.unique(groups, return_inverse=True)[1]
        try:
            errors = error_rates(right, of_system.labels, weights=weights, groups=numbers, level=level)
        except ValueError as error:
            notes.append(f"no error rates of the verdicts: {error}")
    if of_system.inclusion is None:
        notes.append("the labels have no inclusion probabilities, so they count as a sample with equal probabilities")
    return LabeledShare(name, ppi, rogan_gladen, errors), notes


def labeled_tables(shares: Sequence[LabeledShare]) -> list[TextTable]:
    """Return the table of the corrected shares, and that of the errors of verdicts if there are any."""
    by_subset = len({share.subset for share in shares}) > 1
    header = ("system", *(("subset",) if by_subset else ()), "labels")
    corrected, errors = [], []
    for share in shares:
        ppi, by_rates = share.ppi, share.rogan_gladen
        first = (share.system, *((share.subset,) if by_subset else ()), f"{ppi.n_labeled:,}")
        estimates = (ppi.estimate, ppi.labels_alone, NO_ESTIMATE if by_rates is None else by_rates.estimate)
        corrected.append((*first, *map(percent, estimates), f"{ppi.labels_worth:,.0f}"))
        if (rates := share.errors) is not None:
            errors.append((*first, *map(_rate, (rates.false_positive, rates.false_negative, rates.accuracy))))
    tables = [
        TextTable(
            "Corrected by human labels",
            (*header, "share right", "labels alone", "Rogan-Gladen", "labels worth"),
            tuple(corrected),
        )
    ]
    if errors:
        names = (*header, "wrong ones accepted", "right ones rejected", "accuracy")
        tables.append(TextTable("Errors of the verdict right", names, tuple(errors)))
    return tables


def _rate(rate: Estimate) -> str:
    """Return a rate in percent with one decimal, because good verifiers differ in small rates."""
    return "-" if math.isnan(rate.value) else with_interval(rate, ".1f", 100, " %")


def percent(share: Estimate) -> str:
    """Return a share with its interval in whole percent."""
    if math.isnan(share.value):
        return "-"
    if math.isnan(share.low):
        return f"{100 * share.value:.0f} %"
    return with_interval(share, ".0f", 100, " %")


_SHARED = 0.5  # of the questions with a label have both, if the questions were drawn once


def difference_of_labels(
    apart: FloatArray, labeled: Mapping[str, SystemLabels], pair: tuple[str, str], groups: Any, level: float
) -> MeanEstimate | None:
    """Estimate the mean difference of the labels of two systems from the questions whose two answers are labeled.

    If the probabilities of two systems are equal for all questions with both labels, and at least half of the questions
    with a label have both, the questions were drawn once for both. Otherwise the answers of each system were drawn
    independently, and the products count. They are not known for a system whose answers were labeled where those of the
    other one were drawn. Strata are used if two systems have equal ones for all questions with both labels.

    ``apart``: the scores of the second system less those of the first, shape (n,). ``labeled``: the labels by system;
    None is returned unless both have some. ``groups``: the number of the cluster of each question.
    """
    if not set(pair) <= set(labeled):
        return None
    first, second = (labeled[name] for name in pair)
    gaps = second.labels - first.labels
    both = ~np.isnan(gaps)
    n = int(both.sum())
    if n < FEWEST_LABELS:
        raise ValueError(
            f"{n} questions have a label for both {pair[0]} and {pair[1]}, but an interval needs at least "
            f"{FEWEST_LABELS}; label both answers to the same questions, or give no labels"
        )
    once = _drawn_once(both, first, second)
    inclusions = [column for column in (first.inclusion, second.inclusion) if column is not None]
    weights = _weights(both, once, inclusions, pair)
    layers = _shared_strata(both, first, second) if once else None
    same = "all labeled questions have the same difference of labels, so that the scores cannot help"
    notes = () if np.ptp(gaps[both]) else (same,)
    settings: dict[str, Any] = {"weights": weights, "groups": groups, "strata": layers, "level": level}
    return powered_estimate(apart, gaps, notes, share=False, reach=1.0, **settings)


def _drawn_once(both: NDArray[np.bool_], first: SystemLabels, second: SystemLabels) -> bool:
    """Return whether the labeled questions were drawn once for both systems.

    If each system has probabilities, they are then equal, and few labeled questions lack one of the two labels. In two
    independent samples that leave out a third of the questions or more, most labeled questions lack one.
    """
    if first.inclusion is None or second.inclusion is None:
        return True
    either = ~np.isnan(first.labels) | ~np.isnan(second.labels)
    return bool((first.inclusion[both] == second.inclusion[both]).all() and both.sum() >= _SHARED * either.sum())


def _weights(
    both: NDArray[np.bool_], once: bool, inclusions: list[FloatArray], pair: tuple[str, str]
) -> FloatArray | None:
    """Return 1 / probability that both answers to a question are labeled; None if no probability is known."""
    if not inclusions:
        return None
    probabilities = inclusions[0] if once else inclusions[0] * inclusions[1]
    if np.isnan(probabilities[both]).any():
        row = int(np.flatnonzero(both & np.isnan(probabilities))[0])
        raise ValueError(
            f"question {row + 1} has both labels, but no inclusion probability for {' or '.join(pair)}; give that of "
            "every labeled question, or of none"
        )
    weights: FloatArray = 1 / np.where(both, probabilities, 1.0)
    return weights


def _shared_strata(both: NDArray[np.bool_], first: SystemLabels, second: SystemLabels) -> FloatArray | None:
    """Return the strata by which the questions were drawn once for both systems; None if this is not known."""
    strata = [column for column in (first.strata, second.strata) if column is not None]
    if not strata or any(np.isnan(values[both]).any() for values in strata):
        return None
    return strata[0] if all((values[both] == strata[0][both]).all() for values in strata) else None
