"""Which metrics differ: paired bootstrap, permutations and Williams' test, Holm's correction, and groups."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from answersim.agreement.measuring import CORRELATIONS, Column, Settings, measures_of
from answersim.agreement.results import Comparison, Group, Row
from answersim.judgments import Judgments
from answersim.stats.groups import indistinguishable
from answersim.stats.permutation import exchange_p
from answersim.stats.resampling import difference_of, generator, holm
from answersim.stats.williams import williams
from answersim.types import FloatArray

TESTS = ("bootstrap", "permutation", "williams")
_MOST_DRAWS = 10_000  # resamples that are drawn unasked
_DEFINED = ("pearson", "spearman")  # where Williams' test is


def enough(asked: Settings, metrics: int, parts: int) -> int:
    """Resamples whose smallest p, 1 / (n + 1), times the comparisons of a family, is no more than 1 - level."""
    needed = math.ceil(_family(asked, metrics, parts) / (1 - asked.level))
    return max(asked.resamples, min(_MOST_DRAWS, needed))


def too_few(asked: Settings, metrics: int, parts: int) -> list[str]:
    """A note where so many comparisons are made that no resampled p can be significant after Holm's correction."""
    family, draws = _family(asked, metrics, parts), asked.test_resamples or 0
    if family / (draws + 1) <= 1 - asked.level or not {"bootstrap", "permutation"} & set(asked.tests):
        return []
    return [
        f"{family} comparisons by {draws:,} resamples: not even the smallest p is significant after Holm's correction; "
        "compare with one metric (against), or ask for fewer metrics, subsets, or more test_resamples"
    ]


def _family(asked: Settings, metrics: int, parts: int) -> int:
    return parts * (metrics - 1 if asked.against else metrics * (metrics - 1) // 2)


def comparisons_of(
    part: Judgments, subset: str, columns: Mapping[str, Column], asked: Settings
) -> Iterator[Comparison]:
    """First less second: of every two metrics, or of every other one and the one they are held against."""
    names = list(columns)
    if asked.against is None:
        pairs = list(combinations(names, 2))
    else:
        pairs = [(name, asked.against) for name in names if name != asked.against]
    measures = measures_of(part.labels)
    for coefficient in asked.compare:
        for first, second in pairs:
            one, other = columns[first], columns[second]
            if coefficient not in one.row.measured:
                continue  # a label cut that this subset lacks
            value = one.row.measured[coefficient].value - other.row.measured[coefficient].value
            gap = difference_of(
                value, (one.samples[coefficient] - other.samples[coefficient])[: asked.test_resamples], asked.level
            )
            found = Comparison(subset, coefficient, first, second, *gap[:3])
            if "bootstrap" in asked.tests:
                found = found._replace(p_bootstrap=gap.p)
            if "permutation" in asked.tests and coefficient in measures:
                rng = generator(asked.seed, "permutation", subset, coefficient, first, second)
                found = found._replace(
                    p_permutation=exchange_p(
                        measures[coefficient],
                        *(one.scores, other.scores, part.labels),
                        rng=rng,
                        permutations=asked.test_resamples or asked.resamples,
                        scale="standard" if coefficient == "pearson" else "ranks",
                    )
                )
            if "williams" in asked.tests and coefficient in _DEFINED:
                found = found._replace(p_williams=_williams_p(coefficient, one, other, part.labels))
            yield found


def _williams_p(coefficient: str, one: Column, other: Column, labels: FloatArray) -> float:
    first, second = (each.row.measured[coefficient].value for each in (one, other))
    between = float(CORRELATIONS[coefficient](one.scores, other.scores, None)[0])
    return williams(first, second, between, len(labels)).p


def corrected(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The same comparisons with Holm's correction over each coefficient and test."""
    found = list(comparisons)
    for coefficient in dict.fromkeys(each.coefficient for each in found):
        at = [i for i, each in enumerate(found) if each.coefficient == coefficient]
        for test in TESTS:
            raised = holm([getattr(found[i], f"p_{test}") for i in at]).tolist()
            for i, p in zip(at, raised, strict=True):
                found[i] = found[i]._replace(**{f"holm_{test}": p})
    return found


def groups_of(rows: Sequence[Row], comparisons: Sequence[Comparison], asked: Settings) -> Iterator[Group]:
    """Of each subset and coefficient the metrics that cannot be told apart; constant ones belong nowhere."""
    for subset in dict.fromkeys(row.subset for row in rows):
        for coefficient in asked.compare:
            tests = [test for test in TESTS if test in asked.tests and (test != "williams" or coefficient in _DEFINED)]
            if not tests:
                continue
            values = {
                row.metric: row.measured[coefficient].value
                for row in rows
                if row.subset == subset and coefficient in row.measured
            }
            known = sorted((name for name in values if not np.isnan(values[name])), key=lambda name: -values[name])
            apart = [
                (each.first, each.second)
                for each in comparisons
                if (each.subset, each.coefficient) == (subset, coefficient)
                and getattr(each, f"holm_{tests[0]}") <= 1 - asked.level
            ]
            yield from (Group(subset, coefficient, each) for each in indistinguishable(known, apart))
