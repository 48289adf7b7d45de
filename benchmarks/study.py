"""The SAS paper revisited: which of its claims hold, fail, or cannot be decided, with intervals and p.

    python -m benchmarks.correlations --study
    python -m benchmarks.correlations --study --scores recorded

Every claim is stated as a difference of two coefficients that should be positive, and is tested twice: with the scores
of the models of the paper, and with those of our metrics on the same rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Literal, NamedTuple

import numpy as np

from answersim.agreement.resampled import ScoredSubset, holm_corrected
from answersim.agreement.subsets import NONZERO, ZERO, Mask
from answersim.data import LabeledPairs
from answersim.stats.resampling import bootstrap_counts, difference_of, generator
from answersim.types import FloatArray
from benchmarks.paper_sets import NO_DIGITS, SEED, Scored, subsets
from benchmarks.tables import Cell, Column, Table, interval, signed

RESAMPLES = 10_000  # a p of 1 / 10,001 stays significant among all claims
LEVEL = 0.95
COMPARABLE = 0.05  # our margin for "comparable" and "marginally"; the paper gives none
HIGH = 0.5  # our threshold for a "high" tau

LEXICAL = ("rouge-l", "meteor", "f1")
SEMANTIC = ("bi-encoder", "bertscore-vanilla", "bertscore-trained", "sas")
NAMES = ("bi-encoder-names", "bertscore-names")
ENGLISH = ("squad", "nq-open")
SETS = (*ENGLISH, "germanquad")

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
    """Return the claims of the paper about its metrics, in the order of the paper."""
    return [*_about_sas_and_bertscore(), *_about_words(), *_about_sets_and_numbers()]


def _about_sas_and_bertscore() -> Iterator[Claim]:
    statement = "BERTScore trained outperforms SAS without lexical overlap"
    yield from (
        _one(statement, "section 4", "kendall", dataset, ZERO, "bertscore-trained", "sas") for dataset in ENGLISH
    )
    statement = "The highest correlations are those of trained BERTScore, bi- and cross-encoder follow"
    rest = ("bi-encoder", "sas", "bertscore-vanilla")
    for dataset in ENGLISH:
        for subset in (ZERO, NONZERO):
            yield _one(statement, "section 5", "kendall", dataset, subset, "bertscore-trained", rest)
    statement = "SAS is superior by Pearson ..."
    others = tuple(name for name in SEMANTIC if name != "sas")
    yield from (_one(statement, "section 5", "pearson", dataset, ZERO, "sas", others) for dataset in ENGLISH)
    statement = "... but not by rank: SAS is worse than the other semantic metrics without lexical overlap"
    for dataset in ENGLISH:
        for metric in others:
            yield _one(statement, "section 5", "kendall", dataset, ZERO, metric, "sas")
    statement = "... and better than the others with some overlap"
    yield from (_one(statement, "section 5", "kendall", dataset, NONZERO, "sas", others) for dataset in SETS)
    statement = "On GermanQuAD SAS performs best, also without overlap"
    yield _one(statement, "section 5", "kendall", "germanquad", ZERO, "sas", others)
    statement = "BERTScore trained on names beats all others without overlap"
    yield from (
        _one(statement, "section 6", "kendall", dataset, ZERO, "bertscore-names", SEMANTIC) for dataset in ENGLISH
    )
    statement = "Training on names improves the bi-encoder"
    yield from (
        _one(statement, "section 5", "kendall", dataset, ZERO, "bi-encoder-names", "bi-encoder") for dataset in ENGLISH
    )
    statement = "Bi-encoders outperform cross-encoders without overlap"
    yield from (_one(statement, "section 6", "kendall", dataset, ZERO, "bi-encoder", "sas") for dataset in SETS)


def _about_words() -> Iterator[Claim]:
    statement = "Lexical metrics show considerably lower results than any of the semantic ones"
    for dataset in SETS:
        for subset in (ZERO, NONZERO):
            worst = Side(dataset, subset, SEMANTIC, "worst")
            yield Claim(statement, "section 5", "kendall", worst, Side(dataset, subset, LEXICAL))
    statement = "BLEU lags behind all other metrics ..."
    for dataset in ENGLISH:
        rest = Side(dataset, NONZERO, (*LEXICAL, *SEMANTIC), "worst")
        yield Claim(statement, "section 5", "kendall", rest, Side(dataset, NONZERO, ("bleu-paper",)))
    statement = "... followed by METEOR"
    for dataset in ENGLISH:
        rest = Side(dataset, NONZERO, ("rouge-l", "f1", *SEMANTIC), "worst")
        yield Claim(statement, "section 5", "kendall", rest, Side(dataset, NONZERO, ("meteor",)))
    statement = "Without overlap METEOR is superior to the other n-gram metrics on SQuAD"
    yield _one(statement, "section 5", "kendall", "squad", ZERO, "meteor", "rouge-l")
    statement = "... ROUGE-L is for the rest"
    yield _one(statement, "section 5", "kendall", "squad", NONZERO, "rouge-l", "meteor")
    yield from (
        _one(statement, "section 5", "kendall", "nq-open", subset, "rouge-l", "meteor") for subset in (ZERO, NONZERO)
    )
    statement = f"With overlap ROUGE-L is comparable (within {COMPARABLE}) to the semantic metrics"
    for dataset in SETS:
        higher = Side(dataset, NONZERO, SEMANTIC)
        yield Claim(statement, "section 6", "kendall", higher, Side(dataset, NONZERO, ("rouge-l",)), COMPARABLE)


def _about_sets_and_numbers() -> Iterator[Claim]:
    statement = "Semantic metrics perform considerably worse on NQ-open than on the other sets"
    for other in ("squad", "germanquad"):
        for metric in SEMANTIC:
            lower = Side("nq-open", ZERO, (metric,))
            yield Claim(statement, "section 5", "kendall", Side(other, ZERO, (metric,)), lower)
    statement = f"... and only marginally (within {COMPARABLE}) better there than METEOR or ROUGE-L"
    lexical = Side("nq-open", ZERO, ("rouge-l", "meteor"))
    yield Claim(statement, "section 5", "kendall", Side("nq-open", ZERO, SEMANTIC), lexical, COMPARABLE)
    statement = f"Without overlap no semantic metric correlates highly (tau of {HIGH})"
    for dataset in SETS:
        yield Claim(statement, "section 6", "kendall", Side(dataset, ZERO, SEMANTIC), None, level=HIGH)
    statement = "Removing rows with numbers further deteriorates SAS on NQ-open"
    for subset in (ZERO, NONZERO):
        higher, lower = Side("nq-open", subset, ("sas",)), Side("nq-open", subset + NO_DIGITS, ("sas",))
        yield Claim(statement, "appendix C", "kendall", higher, lower)
    statement = f"... but not (within {COMPARABLE}) on SQuAD"
    for subset in (ZERO, NONZERO):
        higher, lower = Side("squad", subset, ("sas",)), Side("squad", subset + NO_DIGITS, ("sas",))
        yield Claim(statement, "appendix C", "kendall", higher, lower, COMPARABLE)


def _one(
    statement: str, where: str, coefficient: str, dataset: str, subset: str, higher: str, lower: str | tuple[str, ...]
) -> Claim:
    others = (lower,) if isinstance(lower, str) else lower
    return Claim(statement, where, coefficient, Side(dataset, subset, (higher,)), Side(dataset, subset, others))


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
