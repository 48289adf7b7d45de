"""The SAS paper revisited: which of its claims hold, fail, or cannot be decided, with intervals and p.

    python -m benchmarks.correlations --study
    python -m benchmarks.correlations --study --scores recorded

Every claim is stated as a difference of two coefficients that should be positive, and is tested twice: with the scores
of the models of the paper, and with those of our metrics on the same rows.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from answersim.agreement.resampled import ScoredSubset, holm_corrected
from answersim.agreement.subsets import Mask
from answersim.data import LabeledPairs
from answersim.stats.resampling import bootstrap_counts, difference_of, generator
from answersim.types import FloatArray
from benchmarks.paper_sets import NO_DIGITS, SEED, Scored, subsets
from benchmarks.tables import Cell, Column, Table, interval, signed

RESAMPLES = 10_000  # a p of 1 / 10,001 stays significant among all claims
LEVEL = 0.95
COMPARABLE = 0.05  # our margin for "comparable" and "marginally"; the paper gives none
TABLE = Path(__file__).parent / "sas_claims.csv"

Verdict = Literal["holds", "does not hold", "not decidable"]


class Side(NamedTuple):
    """One side of a claim: the best, or the worst, of some metrics over a subset of a data set."""

    dataset: str
    subset: str
    metrics: tuple[str, ...]
    of: Literal["best", "worst"] = "best"

    def __str__(self) -> str:
        one = ", ".join(self.metrics)
        return one if len(self.metrics) == 1 else f"{self.of} of {one}"


class Claim(NamedTuple):
    """A claim of the paper: the coefficient of one side is above that of the other, or both are within a margin.

    ``lower`` is None for a claim about one side alone, whose coefficient is below ``level``.
    """

    statement: str
    where: str
    coefficient: str
    higher: Side
    lower: Side | None
    margin: float = math.nan
    level: float = math.nan


class Finding(NamedTuple):
    """The test of a claim by some scores: the difference (positive if it holds), interval, p, and the verdict."""

    statement: str
    where: str
    dataset: str
    subset: str
    compared: str
    coefficient: str
    scores: str
    difference: float
    low: float
    high: float
    p: float
    p_holm: float
    verdict: Verdict


def claims() -> list[Claim]:
    """Return the claims of the paper about its metrics, in the order of the paper: the rows of ``sas_claims.csv``."""
    with TABLE.open(encoding="utf-8", newline="") as lines:
        return [
            Claim(
                *(row["statement"], row["where"], row["coefficient"]),
                _side(row["higher"]),
                _side(row["lower"]) if row["lower"] else None,
                *(float(row["margin"] or "nan"), float(row["level"] or "nan")),
            )
            for row in csv.DictReader(lines)
        ]


def _side(text: str) -> Side:
    """Return a side of a claim, such as "squad | F1=0 | worst of rouge-l f1"."""
    dataset, subset, metrics = text.split(" | ")
    names = tuple(metrics.removeprefix("worst of ").split())
    return Side(dataset, subset, names, "worst" if metrics.startswith("worst of ") else "best")


class Samples(NamedTuple):
    """A coefficient of one metric over one subset, and its values in the resamples."""

    value: float
    resamples: FloatArray


class Evidence:
    """The scores of one origin, and their coefficients by data set, subset and metric, computed on demand."""

    def __init__(self, sets: Mapping[str, tuple[LabeledPairs, Sequence[Scored]]], resamples: int = RESAMPLES) -> None:
        """Take the labeled pairs and scores of each data set."""
        self._sets = sets
        self._resamples = resamples
        self._known: dict[tuple[str, ...], Samples] = {}
        self._parts = {name: subsets(data) for name, (data, _) in sets.items()}
        self._drawn: dict[tuple[str, str], Any] = {}

    def side(self, side: Side, coefficient: str) -> Samples | None:
        """Return the best or worst of the metrics of a side without constant ones; None if there are no scores."""
        if side.dataset not in self._sets:
            return None
        data, scored = self._sets[side.dataset]
        columns = {column.metric: column.values for column in scored}
        samples = [
            self._samples(data, side, name, coefficient, columns[name]) for name in side.metrics if name in columns
        ]
        defined = [sample for sample in samples if not math.isnan(sample.value)]
        if not defined:
            return None
        pick = np.fmax if side.of == "best" else np.fmin  # a metric that a resample makes constant does not count
        value = float(pick.reduce([sample.value for sample in defined]))
        return Samples(value, pick.reduce(np.stack([sample.resamples for sample in defined]), axis=0))

    def _samples(self, data: LabeledPairs, side: Side, metric: str, coefficient: str, column: FloatArray) -> Samples:
        key = (side.dataset, side.subset, metric, coefficient)
        if key not in self._known:
            whole, mask = self._masks(side)
            counts = self._counts(side.dataset, side.subset.removesuffix(NO_DIGITS), int(whole.sum()))
            part = ScoredSubset(data.labels[mask], column[mask][None], counts[:, mask[whole]])
            values, samples = part.resampled(coefficient)
            self._known[key] = Samples(float(values[0]), samples[0])
        return self._known[key]

    def _masks(self, side: Side) -> tuple[Mask, Mask]:
        """Return the masks of the resampled and of the tested rows. Rows without digits are drawn with the others."""
        parts = self._parts[side.dataset]
        return parts[side.subset.removesuffix(NO_DIGITS)], parts[side.subset]

    def _counts(self, dataset: str, subset: str, n: int) -> Any:
        if (dataset, subset) not in self._drawn:
            rng = generator(SEED, "study", dataset, subset)
            self._drawn[dataset, subset] = bootstrap_counts(n, self._resamples, rng)
        return self._drawn[dataset, subset]


def findings(evidence: Evidence, scores: str, tested_claims: Iterable[Claim] | None = None) -> list[Finding]:
    """Test every claim for which there are scores; Holm's procedure over all claims that have a p."""
    tested = []
    for claim in claims() if tested_claims is None else tested_claims:
        finding = _finding(claim, evidence, scores)
        if finding is not None:
            tested.append(finding)
    return [
        finding if math.isnan(finding.p) else finding._replace(verdict=_decided(finding.difference, finding.p_holm))
        for finding in holm_corrected(tested)
    ]


def _finding(claim: Claim, evidence: Evidence, scores: str) -> Finding | None:
    higher = evidence.side(claim.higher, claim.coefficient)
    lower = None if claim.lower is None else evidence.side(claim.lower, claim.coefficient)
    if higher is None or (claim.lower is not None and lower is None):
        return None
    if lower is None:  # a claim about a level: the difference is the distance of the coefficient below it
        value, samples = claim.level - higher.value, claim.level - higher.resamples
    else:
        value, samples = higher.value - lower.value, higher.resamples - lower.resamples
    gap = difference_of(value, samples, LEVEL)
    compared = f"{claim.higher} < {claim.level}" if claim.lower is None else f"{claim.higher} > {_against(claim)}"
    start = (
        claim.statement,
        claim.where,
        claim.higher.dataset,
        claim.higher.subset,
        compared,
        claim.coefficient,
        scores,
    )
    if math.isnan(claim.margin):
        return Finding(*start, *gap, math.nan, "not decidable")
    return Finding(*start, *gap[:3], math.nan, math.nan, _within(gap.low, gap.high, claim.margin))


def _against(claim: Claim) -> str:
    assert claim.lower is not None
    other, higher = claim.lower, claim.higher
    where = "" if other.dataset == higher.dataset else f" on {other.dataset}"
    rows = NO_DIGITS if other.subset == higher.subset + NO_DIGITS else ""
    return f"{other}{where}{rows}"


def _decided(difference: float, p: float) -> Verdict:
    if p > 1 - LEVEL:
        return "not decidable"
    return "holds" if difference > 0 else "does not hold"


def _within(low: float, high: float, margin: float) -> Verdict:
    """Return "holds" if an interval is within the margin, "does not hold" if it is outside, else "not decidable"."""
    if -margin < low and high < margin:
        return "holds"
    return "does not hold" if low > margin or high < -margin else "not decidable"


def tables(tested: Sequence[Finding]) -> Iterator[Table]:
    """Yield one table per origin of scores."""
    columns = tuple(
        map(Column, ("claim", "set", "rows", "tested as", "coefficient", "difference", "95 %", "p (Holm)", "verdict"))
    )
    for scores, group in groupby(tested, key=lambda finding: finding.scores):
        rows: list[tuple[Cell, ...]] = []
        for finding in group:
            ends = interval(finding.low, finding.high)
            p = None if math.isnan(finding.p_holm) else finding.p_holm
            start = (
                f"{finding.statement} ({finding.where})",
                finding.dataset,
                finding.subset,
                finding.compared,
                finding.coefficient,
            )
            rows.append((*start, signed(finding.difference), ends, p, finding.verdict))
        notes = (
            f"95 %: percentile bootstrap, {RESAMPLES:,} resamples of the rows, seed {SEED}; p: Holm over the table",
            "the best of several is overrated by resampling, and the worst underrated: such claims are judged strictly",
            f"'marginal' and 'comparable' are taken as within {COMPARABLE}, judged by the interval alone",
        )
        yield Table(f"Claims of the SAS paper, by {scores} scores", columns, tuple(rows), notes)
