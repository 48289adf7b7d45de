"""The layout of the pages of claims: counts, findings and comparisons with published numbers."""

from __future__ import annotations

import pytest

from benchmarks import claim_pages
from benchmarks.claim_papers import ClaimRow, Headline


def row(verdict: str, limit: str = "", ours: str = "+0.010", interval: str = "[0.005, 0.015]", **more: str) -> ClaimRow:
    """A claim of a made-up paper."""
    return ClaimRow("made", "a", "b", "Set", "MAP", "A > B.", verdict, limit, ours, interval, **more)


def test_a_finding_counts_the_verdicts_and_gives_the_ranges() -> None:
    headline = Headline("a is better than b", (("a", "b"),))
    tests = [
        row("holds", published="+0.020 (0.5, 0.48)"),
        row("undecided", ours="-0.020"),
        row("opposite", "these trainings", ours="-0.300"),
        row("not tested", "private", ours=""),
        row("holds")._replace(other="c"),
    ]
    assert claim_pages.finding(headline, tests) == (
        "**Confirmed in part: a is better than b.** 3 tests on Set: 1 hold, 0 opposite, 1 undecided, significant in "
        "these trainings only: 1 against it; ours -0.300 to +0.010, published +0.020."
    )
    with pytest.raises(LookupError, match="no claim on the result pages tests 'a is better than d'"):
        claim_pages.finding(Headline("a is better than d", (("a", "d"),)), tests)


def test_signs_and_intervals_are_compared_with_the_published_numbers() -> None:
    tests = [
        row("holds", published="+0.010 (0.5, 0.49)"),  # the same sign, inside
        row("holds", published="+0.020 (0.5, 0.48)"),  # the same sign, outside
        row("holds", published="-0.010 (0.5, 0.51)"),  # the other sign
        row("holds"),  # nothing published
    ]
    assert claim_pages.same_sign(tests) == (2, 3)
    assert claim_pages.inside(tests) == (1, 3)
