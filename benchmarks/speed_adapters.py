"""Rows per second through integrations: micro-batches beside a plain loop and beside an adapter that scores row by row.

    python -m benchmarks.speed adapters
    python -m benchmarks.speed adapters --metrics sas --rows 256 --concurrency 16 --clock wall --format json

Hosts call one row at a time, several rows concurrently. A naive adapter answers each call with ``answersim.score`` in a
thread of the event loop. All ways get the same distinct rows in turns, with empty caches. A first round is not counted.
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
import typer

import answersim
from answersim.integrations.base import Scorer
from answersim.runtime.cli_errors import user_errors
from answersim.scoring import batching
from answersim.types import Metric, Pair
from benchmarks import speed_lexical
from benchmarks.machine import machine
from benchmarks.options import FOLDER, FORM, OUTPUT, chosen, show
from benchmarks.speed_rows import Clocks
from benchmarks.tables import Cell, Format, Table, difference, interval

METRICS = ("f1", "sas", "answersim")
NAIVE = "naive adapter"

Program = Callable[[Sequence[Pair]], list[float]]
Call = Callable[[Pair], Awaitable[float]]


class AdapterRow(NamedTuple):
    """The speed of one way to score rows."""

    metric: str  # the metric
    way: str  # the way in which rows are scored
    concurrency: int  # the number of concurrent calls; 1 for a loop, 0 if all rows are one call
    n: int  # the number of rows in a round
    rows_per_s: float  # rows per second, the median of the rounds
    low: float  # the first quartile
    high: float  # the third quartile
    to_naive: float  # the median over the rounds of the speed divided by that of the naive adapter
    max_abs_diff: float  # the largest difference from a number of the plain loop


def main(
    metrics: str = typer.Option(",".join(METRICS), help="Metrics, separated by commas."),
    n: int = typer.Option(256, "--rows", min=16, help="The number of distinct rows per round."),
    concurrency: int = typer.Option(16, min=2, help="The number of concurrent calls."),
    rounds: int = typer.Option(5, min=1, help="The number of measurements of each way, in turns."),
    folder: Path | None = FOLDER,
    clock: Clocks = typer.Option(Clocks.wall, help="'wall' time, or 'processor' time of all threads."),
    form: Format = FORM,
    output: Path | None = OUTPUT,
) -> None:
    """Measure the rows per second of adapters: micro-batches, row by row in threads, and a plain loop."""
    with user_errors():
        names = chosen("metric with a measured adapter", metrics, METRICS)
        pairs = list(dict.fromkeys(speed_lexical.short_pairs(4 * n, folder)))[:n]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            measured = [
                row
                for name in names
                for row in rows(name, programs(answersim.metric(name), concurrency), pairs, rounds, clock.clock)
            ]
    show([table(measured, notes(clock))], measured, form, output)


class Way(NamedTuple):
    """A way to score rows, and its number of concurrent calls."""

    program: Program
    concurrency: int


def programs(metric: Metric, concurrency: int) -> dict[str, Way]:
    """Return the ways by name."""
    scorer = Scorer(metric)
    assert scorer.signature  # built before

    async def naive(pair: Pair) -> float:
        return float(await asyncio.to_thread(answersim.score, pair.gold, pair.pred, metric))

    async def batched(pair: Pair) -> float:
        return (await scorer.score_async(None, pair.gold, pair.pred)).value

    def threads(pairs: Sequence[Pair]) -> list[float]:
        with ThreadPoolExecutor(concurrency) as pool:
            return [scored.value for scored in pool.map(lambda pair: scorer.score(None, *pair), pairs)]

    ways = {
        "plain loop": Way(lambda pairs: [float(answersim.score(*pair, metric)) for pair in pairs], 1),
        NAIVE: Way(partial(_gathered, naive, concurrency), concurrency),
        "micro-batches, awaits": Way(partial(_gathered, batched, concurrency), concurrency),
        "micro-batches, threads": Way(threads, concurrency),
        "Scorer in a loop": Way(lambda pairs: [scorer.score(None, *pair).value for pair in pairs], 1),
    }
    if find_spec("datasets"):
        ways["datasets, map(batched=True)"] = Way(partial(_mapped, metric), 0)
    ways["score_pairs, one call"] = Way(
        lambda pairs: answersim.score_pairs(pairs, [metric], progress=False)[metric.signature].values.tolist(), 0
    )
    return ways


def _gathered(call: Call, concurrency: int, pairs: Sequence[Pair]) -> list[float]:
    """Return the scores of awaitables, so many of which run at the same time."""

    async def all_rows() -> list[float]:
        free = asyncio.Semaphore(concurrency)

        async def one(pair: Pair) -> float:
            async with free:
                return await call(pair)

        return list(await asyncio.gather(*map(one, pairs)))

    return asyncio.run(all_rows())


def _mapped(metric: Metric, pairs: Sequence[Pair]) -> list[float]:
    import datasets

    from answersim.integrations import hf_datasets

    datasets.disable_progress_bars()
    columns = {"gold": [pair.gold for pair in pairs], "pred": [pair.pred for pair in pairs]}
    dataset = datasets.Dataset.from_dict(columns)
    mapping = {"load_from_cache_file": False, "keep_in_memory": True}
    scored = hf_datasets.score(dataset, {"score": metric}, mapping=mapping)
    return list(scored["score"])


def rows(
    metric: str,
    ways: Mapping[str, Way],
    pairs: Sequence[Pair],
    rounds: int,
    clock: Callable[[], float],
) -> list[AdapterRow]:
    """Measure the ways in turns, after a first round that is not counted.

    ``ways``: the ways by name. The first one is the plain loop, whose numbers the others are compared with.
    """
    numbers: dict[str, list[float]] = {}
    seconds = np.empty((rounds + 1, len(ways)))
    for i in range(rounds + 1):
        for j, (name, way) in enumerate(ways.items()):
            batching.forget()
            start = clock()
            numbers[name] = way.program(pairs)
            seconds[i, j] = clock() - start
    speed = len(pairs) / seconds[1:]  # (rounds, ways)
    base, naive = np.array(next(iter(numbers.values()))), speed[:, list(ways).index(NAIVE)]
    median, low, high = np.quantile(speed, [0.5, 0.25, 0.75], axis=0)  # of shape (ways,)
    return [
        AdapterRow(
            metric,
            name,
            way.concurrency,
            len(pairs),
            float(median[j]),
            float(low[j]),
            float(high[j]),
            float(np.median(speed[:, j] / naive)),
            float(np.abs(np.array(numbers[name]) - base).max(initial=0.0)),
        )
        for j, (name, way) in enumerate(ways.items())
    ]


def table(measured: Sequence[AdapterRow], notes: Sequence[str] = ()) -> Table:
    """Return the rows as a table, one line per row."""
    heads = ("metric", "way", "at a time", "rows", "rows per second", "quartiles", "to naive", "difference")
    cells: list[tuple[Cell, ...]] = [
        (
            *(row.metric, row.way, row.concurrency or "all", row.n, f"{row.rows_per_s:,.0f}"),
            *(interval(row.low, row.high), row.to_naive, difference(row.max_abs_diff)),
        )
        for row in measured
    ]
    return Table.of("Rows per second through adapters", heads, cells, notes)


def notes(clock: Clocks = Clocks.wall) -> tuple[str, ...]:
    """Return the conditions of the measurement."""
    return (
        f"rows per second of {clock.description}; medians and quartiles of alternating rounds over the same rows",
        f"{NAIVE}: each call is answersim.score of one row in a thread of the event loop, with a built metric",
        "to naive: the speed divided by that of the naive adapter in the same round",
        "difference: the largest one from a score of the plain loop",
        machine().line,
    )
