"""The overview of claims: each main claim selects rows, and verdicts, signs and intervals are counted."""

from __future__ import annotations

import pytest

from benchmarks.claims_overview import PAPERS, ClaimRow, Finding, finding, inside, same_sign
from benchmarks.ranking_claims import CLAIMS
from benchmarks.study import claims as sas_claims
from tests.cases import every

FINDINGS = [main for findings in PAPERS.values() for main in findings]


@every("main", FINDINGS)
def test_a_main_claim_is_among_the_claims_that_are_tested(main: Finding) -> None:
    if main.statement:
        assert len({claim.statement for claim in sas_claims() if claim.statement.startswith(main.statement)}) == 1
    else:
        assert set(main.pairs) <= {(claim.better, claim.other) for claim in CLAIMS}


def row(verdict: str, difference: str = "+0.010", published: str = "", other: str = "b") -> ClaimRow:
    """A claim on one data set, with the interval [0.005, 0.015]."""
    return ClaimRow("SCAN", "t", "a", other, "Set", "MAP", verdict, difference, "0.005", "0.015", published=published)


def test_a_finding_counts_the_verdicts_and_gives_the_ranges() -> None:
    main = Finding("a is better than b", (("a", "b"),))
    tests = [
        row("holds", published="+0.020"),
        row("undecided", "-0.020"),
        row("opposite, these trainings", "-0.300"),
        row("not tested", ""),
        row("holds", other="c"),
    ]
    assert finding("SCAN", main, tests) == (
        *("confirmed in part", "a is better than b", "SCAN", 3, 1, 0, "0, 1", 1, "-0.300 to +0.010", "+0.020"),
    )
    with pytest.raises(LookupError, match="a is better than d"):
        finding("SCAN", Finding("a is better than d", (("a", "d"),)), tests)


def test_signs_and_intervals_are_compared_with_the_published_numbers() -> None:
    inside_it, outside, other_sign, unpublished = (
        row("holds", published=number) for number in ("+0.010", "+0.020", "-0.010", "")
    )
    tests = [inside_it, outside, other_sign, unpublished]
    assert same_sign(tests) == (2, 3)
    assert inside(tests) == (1, 3)
