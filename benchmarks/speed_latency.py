"""The latency of a call with one pair: ours by name, ours built, the bare function, and other libraries.

    python -m benchmarks.speed latency
    python -m benchmarks.speed latency --metrics f1,sas --rounds 50 --clock wall --format json

Each round calls every program of a metric with the same pairs, one pair per call, so that other work on the machine
affects all of them alike. The first round is not counted. A quick program gets many pairs per round, because the clock
is too coarse for a single call. Other libraries are used as a careful user would: built once, and called with one pair.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import typer

import answersim
from answersim._base.arrays import FloatArray
from answersim._base.runtime.cli_errors import user_errors
from answersim.types import Metric, Pair
from benchmarks import references, speed_lexical
from benchmarks.machine import machine
from benchmarks.options import FOLDER, FORM, OUTPUT, chosen, show
from benchmarks.speed_rows import CLOCK, Clocks
from benchmarks.tables import Cell, Format, Table, difference, interval

METRICS = ("f1", "rouge-l", "bleu", "sas", "answersim")
_PAIRS = 100  # used in rotation
_QUICK, _SLOW = 100, 1  # pairs per round: of a lexical metric, and of one that runs a network

Program = Callable[[Pair], float]


class LatencyRow(NamedTuple):
    """The latency of a call with one pair."""

    metric: str  # the metric
    way: str  # the kind of call: "by name", "built", "direct", or the name of another library
    calls: int  # the number of measured calls
    median_ms: float  # milliseconds per call, the median of the rounds
    low_ms: float  # the first quartile
    high_ms: float  # the third quartile
    ratio: float  # the median over the rounds of this way's time divided by that of "built"
    max_abs_diff: float  # the largest difference from the number of "built"


def main(
    metrics: str = typer.Option(",".join(METRICS), help="Metrics, separated by commas."),
    rounds: int = typer.Option(30, min=1, help="The number of measurements of each program, in turns."),
    folder: Path | None = FOLDER,
    clock: Clocks = CLOCK,
    form: Format = FORM,
    output: Path | None = OUTPUT,
) -> None:
    """Measure the milliseconds of a call with one pair: by name, built, direct, and by other libraries."""
    with user_errors():
        names = chosen("metric with a measured latency", metrics, METRICS)
        measured = rows(names, rounds, folder, clock)
    show([table(measured, notes(clock))], measured, form, output)


def rows(
    metrics: Sequence[str] = METRICS,
    rounds: int = 30,
    folder: Path | None = None,
    clock: Clocks = Clocks.processor,
) -> list[LatencyRow]:
    """Return the rows of these metrics, on pairs of NQ-open."""
    pairs = speed_lexical.short_pairs(_PAIRS, folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [row for name in metrics for row in latencies(name, _programs(name), pairs, rounds, clock=clock.clock)]


def latencies(
    metric: str,
    programs: Mapping[str, Program],
    pairs: Sequence[Pair],
    rounds: int,
    *,
    calls: int | None = None,
    clock: Callable[[], float] = time.process_time,
) -> list[LatencyRow]:
    """Measure programs in turns, after a first round that is not counted.

    ``programs``: the programs by way. The others are compared with "built". ``calls``: the number of calls per round.
    If None, it depends on the time of a call of "built".
    """
    numbers = {way: np.array([program(pair) for pair in pairs[:10]]) for way, program in programs.items()}
    if calls is None:
        start = time.perf_counter()
        programs["built"](pairs[0])
        calls = _QUICK if time.perf_counter() - start < 0.001 else _SLOW
    seconds = np.empty((rounds, len(programs)))
    for i in range(rounds):
        block = [pairs[(i * calls + k) % len(pairs)] for k in range(calls)]
        for j, program in enumerate(programs.values()):
            start = clock()
            for pair in block:
                program(pair)
            seconds[i, j] = (clock() - start) / calls
    base = seconds[:, list(programs).index("built")]
    median, low, high = 1000 * np.quantile(seconds, [0.5, 0.25, 0.75], axis=0)  # of shape (programs,)
    return [
        LatencyRow(
            metric,
            way,
            rounds * calls,
            float(median[j]),
            float(low[j]),
            float(high[j]),
            float(np.median(seconds[:, j] / base)),
            float(np.abs(numbers[way] - numbers["built"]).max(initial=0.0)),
        )
        for j, way in enumerate(programs)
    ]


def table(measured: Sequence[LatencyRow], notes: Sequence[str] = ()) -> Table:
    """Return the rows as a table, one line per row."""
    heads = ("metric", "way", "calls", "ms per call", "quartiles", "to built", "difference")
    cells: list[tuple[Cell, ...]] = [
        (
            *(row.metric, row.way, row.calls, f"{row.median_ms:.4f}", interval(row.low_ms, row.high_ms)),
            *(row.ratio, difference(row.max_abs_diff)),
        )
        for row in measured
    ]
    return Table.of("Latency of one pair", heads, cells, notes)


def notes(clock: Clocks = Clocks.processor) -> tuple[str, ...]:
    """Return the conditions of the measurement."""
    return (
        f"milliseconds of {clock.description}; medians and quartiles of alternating rounds, one pair per call",
        "by name: answersim.score(gold, pred, NAME); built: with a metric that was built before; direct: the metric "
        "called with one pair",
        "difference: the largest one from the score of 'built' on 10 pairs",
        machine().line,
    )


def _programs(name: str) -> dict[str, Program]:
    """Return programs that compute the same metric, by way."""
    metric: Metric = answersim.metric(name)
    ours: dict[str, Program] = {
        "by name": lambda pair: answersim.score(pair.gold, pair.pred, name),
        "built": lambda pair: answersim.score(pair.gold, pair.pred, metric),
        "direct": lambda pair: float(metric([pair])[0]),
    }
    if name == "f1":
        return ours | {"squad_v2 script": _one(references.squad_f1)}
    if name == "rouge-l":
        return ours | {"rouge_score": _rouge_score()}
    return ours | ({"sacrebleu": speed_lexical.sentence_bleu()} if name == "bleu" else {})


def _one(score: Callable[[Sequence[Pair]], FloatArray]) -> Program:
    return lambda pair: float(score([pair])[0])


def _rouge_score() -> Program:
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rougeL"], use_stemmer=False)
    return lambda pair: float(scorer.score(pair.gold, pair.pred)["rougeL"].fmeasure)
