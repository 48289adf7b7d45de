"""The regression report: what a training changed on human-labeled sets, and which changes exceed chance.

The sets of the SAS paper are test sets. Choose a model on a development set, and create the report last. Trying models
until the report is good is tuning on the test sets.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray
from answersim._base.text_tables import Result, TextTable, number, p_value, with_interval
from answersim.evaluation.agreement.subsets import NONZERO, ZERO, paper_subsets
from answersim.evaluation.data import LabeledPairs, load, present
from answersim.metrics import planning
from answersim.stats.coefficients.kendall import kendall
from answersim.stats.intervals.resampling import Estimate, bootstrap_counts, difference_of, generator, holm
from answersim.types import Metric

SETS = ("squad", "nq-open", "germanquad")
PROBES = ("probe", "probe-de")
SEED, RESAMPLES, LEVEL = 0, 2000, 0.95
FEWEST = 10  # the fewest pairs of a subset for which an interval is meaningful


class Trial(NamedTuple):
    """A metric before and after training, under one name."""

    name: str
    before: Metric
    after: Metric


class Finding(NamedTuple):
    """The change of one metric on one subset."""

    dataset: str
    subset: str  # "F1=0" or "F1!=0": the pairs without or with a common word, which are never pooled
    metric: str  # the name of the trial
    n: int  # the pairs of the subset
    before: float  # Kendall's tau-b with the labels; nan if all scores or all labels are equal
    after: float
    difference: float  # after minus before, with the ends of its paired bootstrap interval
    low: float
    high: float
    p: float  # two-sided, as in ``stats.intervals.resampling.difference_of``
    p_holm: float  # corrected for all findings of the report
    # "better" or "worse" if ``p_holm`` is below 1 - level, "worse" if the scores vary before but not after, "not
    # defined" if there was no coefficient before
    verdict: Literal["better", "worse", "not distinguishable", "not defined"]


@dataclass(frozen=True)
class RegressionReport(Result):
    """The changes by set, with everything that is needed to reproduce them."""

    findings: tuple[Finding, ...]  # one per set, subset and metric
    left_out: tuple[str, ...]  # one line for each subset that is too small, and for each set that is not here
    signatures: Mapping[str, tuple[str, str]]  # by the name of the trial: that of the metric before and after
    data: Mapping[str, str]  # by set: the SHA-256 of its pairs and labels, see ``fingerprint``
    seed: int  # what the resamples follow from
    resamples: int  # the number of resamples
    level: float  # the coverage of the intervals; 1 - level is the error rate of the verdicts over the whole report

    def of_verdict(self, verdict: str) -> tuple[Finding, ...]:
        """Return the findings with this verdict."""
        return tuple(finding for finding in self.findings if finding.verdict == verdict)

    def summary(self) -> list[str]:
        """Return what became better and what became worse by more than chance."""
        names = {
            verdict: ", ".join(f"{row.dataset} {row.subset} {row.metric}" for row in self.of_verdict(verdict))
            for verdict in ("better", "worse")
        }
        return [f"{verdict}: {listed or 'nothing'}" for verdict, listed in names.items()]

    def tables(self) -> list[TextTable]:
        """Return the table of all findings: tau-b with human labels on the base and on the trained model."""
        header = ("set", "subset", "n", "metric", "tau-b before", "after", "difference", "p", "p (Holm)", "verdict")
        rows = [
            (row.dataset, row.subset, str(row.n), row.metric, number(row.before), number(row.after),
             with_interval(Estimate(row.difference, row.low, row.high), "+.3f"), p_value(row.p), p_value(row.p_holm),
             row.verdict)
            for row in self.findings
        ]  # fmt: skip
        note = f"{ZERO}: pairs of answers without a common word; {NONZERO}: pairs with one; n: how many have a label"
        return [TextTable("Before and after training", header, tuple(rows), (note,))]

    def footer(self) -> list[str]:
        """Return the settings, what was left out, and the signatures before and after."""
        return [
            f"{self.level:.0%} intervals of after minus before: paired bootstrap, {self.resamples:,} resamples, seed "
            f"{self.seed}; Holm over {len(self.findings)} findings",
            *(f"left out: {line}" for line in self.left_out),
            *(f"{name}: before {before}, after {after}" for name, (before, after) in self.signatures.items()),
            *(f"{name}: SHA-256 of pairs and labels {digest}" for name, digest in self.data.items()),
        ]

    def records(self) -> list[dict[str, Any]]:
        """Return one record per finding."""
        return [finding._asdict() for finding in self.findings]


def examine(trials: Sequence[Trial]) -> RegressionReport:
    """Compare these metrics before and after training, on human-labeled sets.

    The sets are those of the paper that are present, in their own languages, or the shipped probes if none is. Metrics
    that share an encoder share its pass.

    Source: the subsets are those of Mustafazade & Ebbinghaus 2022, Tables 2 and 3.
    """
    names = [trial.name for trial in trials]
    if not names:
        raise ValueError("there is no metric to compare; give at least one")
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"there are two metrics called {twice[0]!r}; give each a different name")
    # The rows that the SAS paper recorded. All rows of a probe are clean.
    sets = [load(name, cleaning="recorded") for name in default_sets()]
    absent = [name for name in SETS if not present(name)]
    left_out = [f"{name}: not found on this machine ('answersim data fetch' fetches it)" for name in absent]
    metrics = [metric for trial in trials for metric in trial[1:]]
    changes = []
    for data in sets:
        scores = iter(planning.score_all(metrics, data.pairs))
        changes.append((data, {name: (next(scores), next(scores)) for name in names}))
    signatures = {trial.name: (trial.before.signature, trial.after.signature) for trial in trials}
    return compare(changes, signatures, left_out)


def compare(
    changes: Iterable[tuple[LabeledPairs, Mapping[str, tuple[FloatArray, FloatArray]]]],
    signatures: Mapping[str, tuple[str, str]],
    left_out: Sequence[str] = (),
) -> RegressionReport:
    """Compare as ``examine`` does, for scores that exist already: recorded columns, or from another program.

    ``changes``: sets, each with the scores of all its pairs before and after by the name of the metric, each of shape
    (n,). Pairs without a label are left out. ``left_out``: lines on what was left out, for the report.
    """
    findings: list[Finding] = []
    lines, hashes = list(left_out), {}
    for data, columns in changes:
        hashes[data.name] = fingerprint(data)
        for subset, mask in subsets(data).items():
            if (n := int(mask.sum())) < FEWEST:
                lines.append(f"{data.name}, {subset}: {n} labeled pairs, but at least {FEWEST} are needed")
                continue
            counts = bootstrap_counts(n, RESAMPLES, generator(SEED, data.name, subset))
            for name, change in columns.items():
                both = np.stack([scores[mask] for scores in change])
                before, after = kendall(both, data.labels[mask])[:, 0].tolist()
                samples = kendall(both, data.labels[mask], counts)
                difference = difference_of(after - before, samples[1] - samples[0], LEVEL)
                where = (data.name, subset, name, n)
                findings.append(Finding(*where, before, after, *difference, p_holm=math.nan, verdict="not defined"))
    corrected = holm([finding.p for finding in findings]).tolist()
    findings = [finding._replace(p_holm=p) for finding, p in zip(findings, corrected, strict=True)]
    decided = tuple(finding._replace(verdict=_verdict(finding)) for finding in findings)
    return RegressionReport(decided, tuple(lines), dict(signatures), hashes, SEED, RESAMPLES, LEVEL)


def subsets(data: LabeledPairs) -> dict[str, NDArray[np.bool_]]:
    """Return the pairs without and with a common word, as masks of shape (n,), by the recorded F1 or that of SQuAD."""
    labeled = ~np.isnan(data.labels)
    return {name: labeled & mask for name, mask in paper_subsets(data).items()}


def fingerprint(data: LabeledPairs) -> str:
    """Return the SHA-256 of the pairs and their labels, in order."""
    rows = [[*pair, None if math.isnan(label) else label] for pair, label in zip(data.pairs, data.labels, strict=True)]
    return sha256(json.dumps(rows).encode()).hexdigest()


def default_sets() -> tuple[str, ...]:
    """Return the default sets: those of the paper that are present, else the probes."""
    return tuple(name for name in SETS if present(name)) or PROBES


def _verdict(finding: Finding) -> Literal["better", "worse", "not distinguishable", "not defined"]:
    if math.isnan(finding.before):
        return "not defined"
    if math.isnan(finding.after):
        return "worse"
    if not finding.p_holm < 1 - LEVEL:
        return "not distinguishable"
    return "better" if finding.difference > 0 else "worse"
