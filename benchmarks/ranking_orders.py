"""Do metrics of answers order systems as ranking measures do? The similarity of the orders, and pairs that swap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from answersim import arguments
from answersim.stats import resampling
from answersim.stats.resampling import Bootstrap
from benchmarks import orders
from benchmarks.orders import Agreement, Disagreement, PairTests
from benchmarks.ranking_datasets import Dataset
from benchmarks.ranking_tables import Result
from benchmarks.tables import Table, interval, signed
from rankers.evaluation.comparison import over_seeds
from rankers.evaluation.evaluate import WRONG
from rankers.types import FloatArray

ALPHA = 0.05
NOT_ORDERED = ("answer-only",)  # a control that never reads the question is not a system to choose
SHOWN = 20  # the maximum number of pairs in a table of pairs that swap


class Order(NamedTuple):
    """The similarity of the orders of the same systems by two measures or metrics."""

    first: str  # a ranking measure
    second: str  # a metric, or another measure, which shows how similar the orders of two measures are
    systems: tuple[str, ...]  # the systems in the orders
    left_out: tuple[str, ...]  # the systems that are left out because ``second`` scores with their weights
    agreement: Agreement  # the agreement of the two orders
    changes: tuple[Disagreement, ...]  # the pairs that swap, with positions in ``systems``

    @property
    def sure(self) -> list[Disagreement]:
        """The pairs whose two differences are significant after Holm's procedure over all pairs."""
        return [change for change in self.changes if change.is_sure(ALPHA)]


def study(
    dataset: Dataset,
    results: Sequence[Result],
    metrics: Sequence[str],
    *,
    bootstrap: Bootstrap = Bootstrap(resamples=2000),
) -> list[Order]:
    """Compare every measure with every other measure and with every metric; return [] for fewer than three systems.

    ``answer-only`` is left out because it is a control, not a system to choose.

    The seeds of a system are averaged per question first. A metric is averaged over all top candidates, where a
    relevant one that is itself a gold answer only repeats P@1, and over the irrelevant ones alone. If systems rank with
    the weights of a metric, its order is also compared without those systems.
    """
    results = [result for result in results if result.system not in NOT_ORDERED]
    if len(results) < 3:
        return []
    judged = [name for metric in metrics for name in (metric, metric + WRONG)]
    names = [*dataset.measures, *judged]
    seed = arguments.seed("rng", bootstrap.rng)
    values = {name: np.stack([over_seeds(result.seeds, name) for result in results]) for name in names}
    tests = {
        name: orders.pair_tests(column, rng=resampling.generator(seed, "pairs", name))
        for name, column in values.items()
    }
    name_pairs = [*combinations(dataset.measures, 2), *((one, other) for one in dataset.measures for other in judged)]
    compared = []
    for first, second in name_pairs:
        circular = _circular(results, second.removesuffix(WRONG))
        for left_out in dict.fromkeys((frozenset[str](), circular)):
            rows = [i for i, result in enumerate(results) if result.system not in left_out]
            if len(rows) >= 3:
                drawing = replace(bootstrap, rng=resampling.generator(seed, "orders", first, second))
                agreement = orders.agreement(values[first][rows], values[second][rows], bootstrap=drawing)
                changes = orders.disagreements(_rows(tests[first], rows), _rows(tests[second], rows))
                systems = tuple(results[i].system for i in rows)
                compared.append(Order(first, second, systems, tuple(sorted(left_out)), agreement, tuple(changes)))
    return compared


def order_table(title: str, compared: Sequence[Order]) -> Table:
    """Return a table of Kendall's tau-b of every two orders, with its interval and the number of pairs that swap."""
    columns = ("order by", "and by", "systems", "tau-b", "95 %", "pairs", "opposite", "significant")
    rows = tuple(
        (
            order.first,
            order.second + (f", {len(order.left_out)} circular left out" if order.left_out else ""),
            order.agreement.n_systems,
            order.agreement.tau,
            interval(order.agreement.low, order.agreement.high),
            len(order.systems) * (len(order.systems) - 1) // 2,
            len(order.changes),
            len(order.sure),
        )
        for order in compared
    )
    notes = (
        "tau-b of the means of the systems, seeds averaged; interval by 2,000 resamples of the questions; the means of "
        "a resample are noisier than those of all questions, so most of the interval is below tau-b",
        f"opposite: pairs of systems in the opposite order; significant: both differences with p <= {ALPHA:g}, "
        "Fisher's randomization test, Holm over all pairs within a measure or metric",
        "if a positive is itself a gold answer, a metric over all top candidates repeats P@1; 'where P@1=0' is the "
        "metric over the wrong top candidates only",
    )
    return Table.of(f"{title}: do metrics order systems as measures do?", columns, rows, notes)


def change_table(title: str, compared: Sequence[Order]) -> Table:
    """Return a table of the pairs that swap with both differences significant, most significant first.

    Circular systems are left out.
    """
    columns = ("by", "first", "second", "difference", "p (Holm)", "but by", "difference ", "p (Holm) ")
    rows = [
        (
            order.first,
            order.systems[pair.upper],
            order.systems[pair.lower],
            signed(pair.by_first),
            f"{pair.p_first:.4f}",
            order.second,
            signed(pair.by_second),
            f"{pair.p_second:.4f}",
        )
        for order in _strictest(compared)
        for pair in order.sure
    ]
    more = (f"{len(rows) - SHOWN} more are in the results file",) if len(rows) > SHOWN else ()
    notes = more if rows else ("there are none",)
    heading = f"{title}: pairs of systems in opposite orders, both significantly"
    return Table.of(heading, columns, rows[:SHOWN], notes)


def records(compared: Sequence[Order]) -> Iterator[dict[str, Any]]:
    """Yield one row per pair of orders, with all pairs of systems that swap."""
    for order in compared:
        pairs = [
            {**pair._asdict(), "upper": order.systems[pair.upper], "lower": order.systems[pair.lower]}
            for pair in order.changes
        ]
        yield {
            "first": order.first,
            "second": order.second,
            "systems": list(order.systems),
            "left_out": list(order.left_out),
            **order.agreement._asdict(),
            "significant_changes": len(order.sure),
            "changes": pairs,
        }


def _strictest(compared: Sequence[Order]) -> Iterator[Order]:
    """Yield the comparison with the fewest systems of each two orders: the one without circular systems."""
    for order in compared:
        same = [other for other in compared if (other.first, other.second) == (order.first, order.second)]
        if len(order.systems) == min(len(other.systems) for other in same):
            yield order


def _circular(results: Sequence[Result], metric: str) -> frozenset[str]:
    """Return the systems that rank with the weights of this metric."""
    judged = ((result.system, result.seeds[0].semantic.get(metric)) for result in results)
    return frozenset(system for system, scores in judged if scores is not None and scores.shares_weights == "yes")


def _rows(tests: PairTests, rows: list[int]) -> PairTests:
    """Return the tests of these systems among themselves. Holm's procedure remains that over all pairs."""

    def part(square: FloatArray) -> FloatArray:
        return square[np.ix_(rows, rows)]

    return PairTests(*map(part, tests))
