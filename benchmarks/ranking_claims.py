"""The claims of the papers that one system is better than another, and controls for the cause of a difference.

Every page of the ranking benchmark tests the claims whose two systems are on the page.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.ranking_tables import SEEDS, Result, probability, share_training
from benchmarks.tables import Table, interval, signed
from rankers.evaluation.comparison import Comparison, by_seeds, compare, with_holm
from rankers.evaluation.evaluate import Evaluation

TABLE = Path(__file__).with_suffix(".csv")
SURE = 0.05  # a claim holds if p after Holm is below this


class Claim(NamedTuple):
    """The claim that one system is better than another."""

    source: str  # the paper and its table, or, after a colon, the question of our control
    better: str  # the system that is claimed to be better
    other: str  # the other system
    measures: tuple[str, ...] = ()  # the measures of the claim; empty for all measures of the dataset


class Examined(NamedTuple):
    """A claim, the comparison of its systems (the better one second), and whether it holds."""

    claim: Claim  # the claim
    comparison: Comparison  # the difference of the better system from the other
    # "yes" or "opposite" if p is significant over questions and over trainings. ", these trainings" is added if p is
    # significant over questions only, so that further trainings might differ, and ", one training" if each system has
    # only one training, so that p over trainings is unknown. Otherwise "not shown".
    holds: str
    # p over trainings by Welch's test, where the test of ``comparison`` is paired by seed; None elsewhere
    p_welch: float | None = None


def _claims() -> Iterator[Claim]:
    with TABLE.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            yield Claim(row["source"], row["better"], row["other"], tuple(row["measures"].split()))


CLAIMS = tuple(_claims())  # claims of one source follow each other


def examined(results: Sequence[Result], measures: Sequence[str]) -> list[Examined]:
    """Test the claims whose two systems have results: by question, over the mean of the seeds.

    Holm's procedure applies within each source and measure.
    """
    evaluations = {result.system: result.seeds for result in results}
    there = [claim for claim in CLAIMS if claim.better in evaluations and claim.other in evaluations]
    tested: list[Examined] = []
    for _, same in groupby(there, key=lambda claim: claim.source):
        claims = list(same)
        for measure in measures:
            measured = [claim for claim in claims if not claim.measures or measure in claim.measures]
            family = with_holm(
                [
                    compare(
                        evaluations[claim.other],
                        evaluations[claim.better],
                        measure,
                        paired_seeds=share_training(claim.other, claim.better),
                    )
                    for claim in measured
                ]
            )
            tested += [
                Examined(claim, comparison, _holds(comparison), _welch(evaluations, claim, measure))
                for claim, comparison in zip(measured, family, strict=True)
            ]
    return tested


def _welch(evaluations: Mapping[str, Sequence[Evaluation]], claim: Claim, measure: str) -> float | None:
    if not share_training(claim.other, claim.better):
        return None
    return by_seeds(evaluations[claim.other], evaluations[claim.better], measure)


def _holds(comparison: Comparison) -> str:
    if not comparison.p_holm < SURE:
        return "not shown"
    verdict = "yes" if comparison.difference > 0 else "opposite"
    if comparison.p_seeds is None:
        return f"{verdict}, one training"
    return verdict if comparison.p_seeds < SURE else f"{verdict}, these trainings"


def claims_table(title: str, claims: Sequence[Examined]) -> Table:
    """Return a table with one row per claim and measure."""
    columns = ("source", "better", "than", "measure", "n", "difference", "95 %", "p", "p (Holm)", "p (seeds)",
               "p (Welch)", "holds")  # fmt: skip
    rows = tuple(
        (
            claim.source,
            claim.better,
            claim.other,
            comparison.measure,
            comparison.n_questions,
            signed(comparison.difference),
            interval(comparison.low, comparison.high),
            f"{comparison.p:.4f}",
            f"{comparison.p_holm:.4f}",
            probability(comparison.p_seeds),
            probability(p_welch),
            holds,
        )
        for claim, comparison, holds, p_welch in claims
    )
    notes = (
        f"holds: p below {SURE:g} by Fisher's randomization test over questions, after Holm's procedure within source "
        f"and measure; 'these trainings' if p (seeds) is not below {SURE:g}: further trainings might differ; 'one "
        "training' if a system has a single one",
        SEEDS,
        "p (Welch): where p (seeds) is paired, that of Welch's test, which ignores what the trainings share",
    )
    return Table.of(f"{title}: what the papers claim, and controls", columns, rows, notes)


def records(claims: Sequence[Examined]) -> Iterator[Mapping[str, Any]]:
    """Yield the same for JSON."""
    for claim, comparison, holds, p_welch in claims:
        yield {
            "source": claim.source,
            "better": claim.better,
            "other": claim.other,
            **asdict(comparison),
            "p_welch": p_welch,
            "holds": holds,
        }
