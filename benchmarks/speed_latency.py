"""The latency of a call with one pair: ours by name, ours built, the bare function, and other libraries.

    python -m benchmarks.speed latency
    python -m benchmarks.speed latency --metrics f1,sas --rounds 50 --clock wall --format json

Each round calls every program of a metric with the same pairs, one pair per call, so that other work on the machine
affects all of them alike. The first round is not counted. A quick program gets many pairs per round, because the clock
is too coarse for a single call. Other libraries are used as a careful user would: built once, and called with one pair.
"""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import typer

import answersim
from answersim.runtime.cli_errors import user_errors
from answersim.types import FloatArray, Metric, Pair
from benchmarks import references, speed_lexical, speed_neural
from benchmarks.machine import machine
from benchmarks.options import FOLDER, FORM, OUTPUT, chosen, show
from benchmarks.speed_rows import CLOCK, Clocks
from benchmarks.tables import Cell, Format, Table, difference, interval

METRICS = ("f1", "rouge-l", "bleu", "bertscore-vanilla", "sas", "answersim")
_PAIRS = 100  # used in rotation
_QUICK, _SLOW = 100, 1  # pairs per round: of a lexical metric, and of one that runs a network
_LAYER = 6

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
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [
            row
            for name in metrics
            for group, programs in _programs(name, Path(place))
            for row in latencies(group, programs, pairs, rounds, clock=clock.clock)
        ]


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
        "by name: answersim.score(gold, pred, NAME); built: with a metric that was built before; direct: the function "
        "of the tokens, or the metric called with one pair",
        "difference: the largest one from the score of 'built' on 10 pairs",
        machine().line,
    )


def _programs(name: str, place: Path) -> Iterator[tuple[str, dict[str, Program]]]:
    """Yield groups of programs that compute the same metric: the metric, and the programs by way."""
    if name == "sas":
        yield name, _ours(name)
        yield "sas, gold before pred", _ours(name, order="gold-pred") | {"CrossEncoder.predict": _cross_encoder(place)}
    elif name == "bertscore-vanilla":
        programs = _ours(name, layer=_LAYER, measure="f1")
        yield f"{name}, layer {_LAYER}, f1", programs | {"bert_score": _bert_score()}
    elif name == "f1":
        yield name, _ours(name) | {"direct": _f1(), "squad_v2 script": _one(references.squad_f1)}
    elif name == "rouge-l":
        yield name, _ours(name) | {"rouge_score": _rouge_score()}
    elif name == "bleu":
        yield name, _ours(name) | {"sacrebleu": speed_lexical.sentence_bleu()}
    else:
        yield name, _ours(name)


def _ours(name: str, **options: Any) -> dict[str, Program]:
    metric: Metric = answersim.metric(name, **options)
    return {
        "by name": lambda pair: answersim.score(pair.gold, pair.pred, name, **options),
        "built": lambda pair: answersim.score(pair.gold, pair.pred, metric),
        "direct": lambda pair: float(metric([pair])[0]),
    }


def _f1() -> Program:
    from answersim.lexical.f1 import f1
    from answersim.text import english_words

    return lambda pair: f1(english_words(pair.gold), english_words(pair.pred))


def _one(score: Callable[[Sequence[Pair]], FloatArray]) -> Program:
    return lambda pair: float(score([pair])[0])


def _rouge_score() -> Program:
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rougeL"], use_stemmer=False)
    return lambda pair: float(scorer.score(pair.gold, pair.pred)["rougeL"].fmeasure)


def _bert_score() -> Program:
    from bert_score import BERTScorer

    from answersim import profiles
    from answersim.checkpoints import search

    with references.path_without_t5(search.find(profiles.MINILM).folder) as safe:
        scorer = BERTScorer(model_type=str(safe), num_layers=_LAYER, device="cpu")
    return lambda pair: float(scorer.score([pair.pred], [pair.gold])[2][0])


def _cross_encoder(place: Path) -> Program:
    current: list[Pair] = []
    *_, predict = speed_neural._cross_encoder(current, place)

    def program(pair: Pair) -> float:
        current[:] = [pair]
        return float(predict()[0])

    return program
