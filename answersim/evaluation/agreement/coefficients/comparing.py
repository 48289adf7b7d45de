"""Which metrics differ: paired bootstrap, permutation test, Holm's correction, and groups."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from answersim.evaluation.agreement.coefficients.measuring import Column, Settings, measures_of
from answersim.evaluation.agreement.coefficients.rows import Comparison, Group, Row
from answersim.evaluation.agreement.judgments import Judgments
from answersim.stats.intervals.permutation import exchange_p
from answersim.stats.intervals.resampling import difference_of, generator, holm

TESTS = ("bootstrap", "permutation")
_MOST_DRAWS = 10_000  # the default maximum of resamples


def enough(settings: Settings, metrics: int, parts: int) -> int:
    """Return the number of resamples for which the smallest p can be significant after Holm's correction."""
    needed = math.ceil(_family(settings, metrics, parts) / (1 - settings.level))
    return max(settings.resamples, min(_MOST_DRAWS, needed))


def too_few(settings: Settings, metrics: int, parts: int) -> list[str]:
    """Return a note if there are so many comparisons that no resampled p can be significant after Holm's correction."""
    family, draws = _family(settings, metrics, parts), settings.test_resamples or 0
    if family / (draws + 1) <= 1 - settings.level or not {"bootstrap", "permutation"} & set(settings.tests):
        return []
    return [
        f"{family} comparisons by {draws:,} resamples: not even the smallest p is significant after Holm's correction; "
        "compare with one metric (against), or request fewer metrics or subsets, or more test_resamples"
    ]


def _family(settings: Settings, metrics: int, parts: int) -> int:
    return parts * (metrics - 1 if settings.against else metrics * (metrics - 1) // 2)


def comparisons_of(
    judgments: Judgments, subset: str, columns: Mapping[str, Column], settings: Settings
) -> Iterator[Comparison]:
    """Compare every two metrics, or every other metric with ``against``: the first less the second."""
    names = list(columns)
    if settings.against is None:
        pairs = list(combinations(names, 2))
    else:
        pairs = [(name, settings.against) for name in names if name != settings.against]
    measures = measures_of(judgments.labels)
    for coefficient in settings.compare:
        for first, second in pairs:
            column, peer = columns[first], columns[second]
            if coefficient not in column.row.measured:
                continue  # this subset lacks the label cut
            value = column.row.measured[coefficient].value - peer.row.measured[coefficient].value
            gap = difference_of(
                value,
                (column.samples[coefficient] - peer.samples[coefficient])[: settings.test_resamples],
                settings.level,
            )
            comparison = Comparison(subset, coefficient, first, second, *gap[:3])
            if "bootstrap" in settings.tests:
                comparison = comparison._replace(p_bootstrap=gap.p)
            if "permutation" in settings.tests and coefficient in measures:
                rng = generator(settings.seed, "permutation", subset, coefficient, first, second)
                comparison = comparison._replace(
                    p_permutation=exchange_p(
                        measures[coefficient],
                        *(column.scores, peer.scores, judgments.labels),
                        rng=rng,
                        permutations=settings.test_resamples or settings.resamples,
                        scale="standard" if coefficient == "pearson" else "ranks",
                    )
                )
            yield comparison


def with_holm(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Return the comparisons with Holm's correction over each coefficient and test."""
    revised = list(comparisons)
    for coefficient in dict.fromkeys(comparison.coefficient for comparison in revised):
        at = [i for i, comparison in enumerate(revised) if comparison.coefficient == coefficient]
        for test in TESTS:
            raised = holm([getattr(revised[i], f"p_{test}") for i in at]).tolist()
            for i, p in zip(at, raised, strict=True):
                revised[i] = revised[i]._replace(**{f"holm_{test}": p})
    return revised


def groups_of(rows: Sequence[Row], comparisons: Sequence[Comparison], settings: Settings) -> Iterator[Group]:
    """Yield the groups of indistinguishable metrics by subset and coefficient. A constant metric is in no group."""
    for subset in dict.fromkeys(row.subset for row in rows):
        for coefficient in settings.compare:
            tests = [test for test in TESTS if test in settings.tests]
            if not tests:
                continue
            values = {
                row.metric: row.measured[coefficient].value
                for row in rows
                if row.subset == subset and coefficient in row.measured
            }
            ranked = sorted((name for name in values if not np.isnan(values[name])), key=lambda name: -values[name])
            apart = [
                (comparison.first, comparison.second)
                for comparison in comparisons
                if (comparison.subset, comparison.coefficient) == (subset, coefficient)
                and getattr(comparison, f"holm_{tests[0]}") <= 1 - settings.level
            ]
            yield from (Group(subset, coefficient, members) for members in indistinguishable(ranked, apart))


def indistinguishable(members: Sequence[str], differing: Collection[tuple[str, str]]) -> list[tuple[str, ...]]:
    """Return the largest sets of members in which no two differ, each in the order of the members.

    A member may be in several sets: if the first and the second are indistinguishable, and the second and the third,
    this implies nothing for the first and the third. A member that differs from all others is alone. ``members``:
    names, best first. ``differing``: the pairs of them, in any order, that differ.

    Source: Bron & Kerbosch 1973, algorithm 457, for the maximal cliques; shown as the letters of Piepho 2004.
    """
    apart = {frozenset(pair) for pair in differing}
    near = {
        member: {neighbor for neighbor in members if neighbor != member and frozenset((member, neighbor)) not in apart}
        for member in members
    }
    places = {name: i for i, name in enumerate(members)}
    groups = [tuple(sorted(clique, key=places.__getitem__)) for clique in _cliques(set(), set(members), set(), near)]
    return sorted(groups, key=lambda group: [places[name] for name in group]) if members else []


def _cliques(
    chosen: set[str], open_: set[str], closed: set[str], near: dict[str, set[str]]
) -> Iterator[frozenset[str]]:
    if not open_ and not closed:
        yield frozenset(chosen)
        return
    pivot = max(sorted(open_ | closed), key=lambda name: len(near[name] & open_))
    for name in sorted(open_ - near[pivot]):
        yield from _cliques(chosen | {name}, open_ & near[name], closed & near[name], near)
        open_, closed = open_ - {name}, closed | {name}
