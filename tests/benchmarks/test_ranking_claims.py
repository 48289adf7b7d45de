"""What the papers claim: every claim is of systems that there are, and says how it was tested."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.ranking_claims import CLAIMS, examined
from benchmarks.ranking_tables import Result
from rankers.evaluation.comparison import compare
from rankers.evaluation.evaluate import evaluate
from rankers.systems import catalog
from rankers.types import Candidate, Question, Questions, Run

MEASURES = ("P@1", "MRR")


def result(name: str, right: Sequence[bool], seeds: int = 2) -> Result:
    """A system that puts the one right candidate of these questions first, and of the others last."""
    items = tuple(
        Question(f"q{i}", f"what {i}?", (Candidate("r", "yes", 1), Candidate("w", "no", 0))) for i in range(len(right))
    )
    run = Run(name, {f"q{i}": {"r": float(first), "w": 0.5} for i, first in enumerate(right)})
    made = [evaluate(run, Questions("made", "test", items), MEASURES, seed=seed) for seed in range(seeds)]
    return Result(name, made, None, None, 0.1)


def made(share: Mapping[str, float], n: int = 60) -> list[Result]:
    """Systems that are right on this share of the questions: the first ones of all."""
    return [result(name, [i < part * n for i in range(n)]) for name, part in share.items()]


def test_claims_are_of_known_systems_and_each_occurs_once() -> None:
    names = set(catalog.names())
    assert {name for claim in CLAIMS for name in (claim.better, claim.other)} <= names
    assert len(set(CLAIMS)) == len(CLAIMS)
    sources = [claim.source for claim in CLAIMS]
    together = [source for i, source in enumerate(sources) if source != sources[i - 1] or not i]
    assert len(together) == len(set(together)), "claims of one source stand together, or Holm would not see them all"


def test_a_claim_holds_is_reversed_or_is_not_shown() -> None:
    means = {"tanda": 0.5, "scan-rate-1": 0.9, "ce-plain": 0.95, "scan-wo-fd": 0.9, "bm25": 0.1}
    result = examined(made(means), MEASURES)
    output = {(each.claim.better, each.claim.other, each.comparison.measure): each for each in result}
    assert set(output) == {
        (better, other, measure)
        for better, other in (("scan-rate-1", "tanda"), ("tanda", "ce-plain"), ("scan-rate-1", "scan-wo-fd"))
        for measure in MEASURES
    }
    assert output["scan-rate-1", "tanda", "P@1"].holds == "yes"
    assert output["scan-rate-1", "tanda", "P@1"].comparison.difference == pytest.approx(0.4)
    assert output["tanda", "ce-plain", "MRR"].holds == "opposite"
    assert output["scan-rate-1", "scan-wo-fd", "P@1"].holds == "not shown"


def test_a_claim_of_trainings_that_vary_as_much_is_one_of_these_trainings() -> None:
    base = result("global", [i < 20 for i in range(60)], seeds=3)

    def seeds(name: str, *right: int) -> Result:
        return Result(name, [replace(result(name, [i < n for i in range(60)], 1).seeds[0], seed=seed)
                             for seed, n in enumerate(right)], None, None, 0.1)  # fmt: skip

    for right, says in (((30, 31, 32), "yes"), ((60, 21, 22), "yes, these trainings"),
                        ((9, 8, 7), "opposite"), ((19, 0, 19), "opposite, these trainings")):  # fmt: skip
        actual = examined([base, seeds("ggsa", *right)], ("P@1",))
        assert {each.holds for each in actual} == {says}
    alone = [result(name, [i < n for i in range(60)], 1) for name, n in (("global", 20), ("ggsa", 40))]
    assert {each.holds for each in examined(alone, ("P@1",))} == {"yes, one training"}


def test_holm_is_within_source_and_measure() -> None:
    systems = made({"tanda": 0.5, "scan-rate-1": 0.6, "ce-plain": 0.4, "scan-wo-fd": 0.52})
    by = {system.system: system.seeds for system in systems}
    for each in examined(systems, MEASURES):
        claim, found = each.claim, each.comparison
        alone = compare(by[claim.other], by[claim.better], found.measure)
        family = [c for c in CLAIMS if c.source == claim.source and c.better in by and c.other in by]
        assert found.p == alone.p
        ps = sorted(compare(by[c.other], by[c.better], found.measure).p for c in family)
        raised = np.minimum(1, np.maximum.accumulate([p * (len(ps) - i) for i, p in enumerate(ps)]))
        assert found.p_holm == pytest.approx(raised[ps.index(found.p)])


def test_a_claim_by_one_measure_is_tested_by_that_alone() -> None:
    found = examined(made({"ggsa": 0.9, "ggsa-pointwise": 0.5}), MEASURES)
    assert [(each.claim.better, each.comparison.measure, each.holds) for each in found] == [
        ("ggsa", "P@1", "yes"),
        ("ggsa-pointwise", "MRR", "opposite"),
    ]


def test_claims_of_systems_without_results_are_left_out() -> None:
    assert examined(made({"bm25": 0.5, "random": 0.2}), MEASURES) == []
