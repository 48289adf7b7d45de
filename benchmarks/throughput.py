"""Pairs per second on a GPU: neural metrics by precision and batch size, CrossEncoder, and the scoring of rankers.

    python -m benchmarks.throughput
    python -m benchmarks.throughput --metrics bi-encoder,sas --precisions bf16 --size 20000 --format json
    python -m benchmarks.throughput --device cpu --size 200 --repetitions 1

The defaults are to fit in five minutes on a GPU. Times are wall times until the device is idle, after one round that is
not counted. The pairs are synthetic and have the length of those of NQ-open. The peer of ``sas`` is
``CrossEncoder.predict`` with the same weights, precision and about as large batches. A ranker scores pools of ten texts
in fp32, with its own batches. The limit is the rate of matrix products of the sizes of the encoder layers, measured in
the same run and precision. The share counts the operations that the tokens of the texts need, without padding. Work on
the CPU, mostly tokenization, lowers it.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import typer

import answersim
from answersim._base.arguments import whole
from answersim._base.device import Device
from answersim._base.runtime.cli_errors import user_errors
from answersim.metrics.catalog.lookup import entry, network_options
from answersim.metrics.neural.tokens import tokenize
from answersim.types import Pair
from benchmarks.machine import machine
from benchmarks.made_answers import made_pairs
from benchmarks.options import FORM, OUTPUT, chosen, names_in, run_program, show
from benchmarks.products import Clock, Shape, multiplied_a_second, needs, operations, shape_of, wait
from benchmarks.speed_lexical import WORDS
from benchmarks.speed_neural import library_cross_encoder, predicted
from benchmarks.tables import Format, Table
from rankers.api import resolve

METRICS = tuple(name for name in answersim.names() if entry(name).kind in ("neural", "composite"))
PRECISIONS = ("fp32", "bf16", "fp16")
PEER = "CrossEncoder.predict"  # of sas
_POOL = 10  # candidates of a question
_LONGEST = 32  # tokens of a pair: a batch of the peer has as many pairs as surely fit into one of ours


class Row(NamedTuple):
    """The throughput of one metric, peer or ranker in one precision."""

    metric: str  # the name of the metric
    precision: str  # the precision of its network
    batch_tokens: int | None  # the maximum number of tokens at a time; None for a ranker, which has its own batches
    device: str  # the device that it ran on
    n: int  # the number of pairs
    pairs_a_second: float  # the median over the repetitions
    operations_a_pair: float  # the mean floating-point operations per pair
    # the share of the operations per second that the device reaches in matrix products of those sizes
    limit_share: float
    signature: str  # the signature of the metric in this precision; "" for the peer


def main(
    metrics: str = typer.Option("sas,answersim", help="Neural metrics, separated by commas."),
    rankers: str = typer.Option("minilm-hybrid,minilm-reranker", help="Rankers, or folders; empty for none."),
    precisions: str = typer.Option("fp32,bf16", help="Precisions, separated by commas."),
    size: int = typer.Option(5_000, min=1, help="Made pairs."),
    repetitions: int = typer.Option(3, min=1, help="The number of measurements of each."),
    batch_tokens: str = typer.Option("8192,32768,131072", help="Maximum numbers of tokens per batch."),
    device: str = typer.Option("cuda", help="cuda, cuda:1 ... or mps; cpu to try the command without a GPU."),
    form: Format = FORM,
    output: Path | None = OUTPUT,
) -> None:
    """Measure the pairs per second of metrics, CrossEncoder and rankers, and the share of the limit of the device."""
    with user_errors("benchmarks.throughput"):
        names = chosen("neural metric", metrics, METRICS)
        ways = chosen("precision", precisions, PRECISIONS)
        _check_device(device)
        network_options(names, device)
        batches = [whole("batch_tokens", int(text) if text.isdecimal() else text, 1) for text in names_in(batch_tokens)]
        pairs = made_pairs(size, *WORDS["short"], rng=np.random.default_rng(0))
        jobs = chain(
            jobs_of_metrics(names, ways, batches, device, pairs), jobs_of_rankers(names_in(rankers), device, pairs)
        )
        measured = rows(jobs, len(pairs), device, repetitions)
    note = f"medians of {repetitions} repetitions; {machine().line}"
    show([table(measured, note)], measured, form, output)


class Job(NamedTuple):
    """Something to measure: a call that scores all pairs, and what it needs."""

    name: str
    precision: str
    batch_tokens: int | None
    needed: dict[Shape, float]  # the operations of its matrix products, by the shape of the network
    signature: str
    run: Callable[[], Any]


def rows(jobs: Iterable[Job], n: int, device: str, repetitions: int, clock: Clock = time.perf_counter) -> list[Row]:
    """Measure each of these jobs, which score n pairs, on this device."""
    measured = []
    limits: dict[tuple[Shape, str], float] = {}
    for job in jobs:
        seconds = float(np.median([_seconds(job.run, device, clock) for _ in range(repetitions + 1)][1:]))
        for shape in job.needed:
            if (key := (shape, job.precision)) not in limits:
                limits[key] = multiplied_a_second(*key, device, clock=clock)
        # the seconds that the products need at the limit
        least = sum(count / limits[shape, job.precision] for shape, count in job.needed.items())
        per_pair = sum(job.needed.values()) / n
        where = (job.name, job.precision, job.batch_tokens, device, n)
        measured.append(Row(*where, n / seconds, per_pair, least / seconds, job.signature))
    return measured


def jobs_of_metrics(
    metrics: Sequence[str], precisions: Sequence[str], batches: Sequence[int], device: str, pairs: Sequence[Pair]
) -> Iterator[Job]:
    """Yield each metric, and the peer of ``sas``, in each precision and batch size."""
    for precision, batch, name in product(precisions, batches, metrics):
        built = answersim.metric(name, device=Device(device, precision, batch))
        needed = needs(built, pairs)
        run = partial(answersim.score_pairs, pairs, [built], progress=False)
        yield Job(name, precision, batch, needed, built.signature, run)
        if name == "sas":
            yield Job(PEER, precision, batch, needed, "", _peer(pairs, device, precision, batch))


def jobs_of_rankers(names: Sequence[str], device: str, pairs: Sequence[Pair]) -> Iterator[Job]:
    """Yield each ranker. The questions are gold answers, and the candidates are predictions."""
    questions = [pair.gold for pair in pairs[::_POOL]]
    pools = [[pair.pred for pair in pairs[start : start + _POOL]] for start in range(0, len(pairs), _POOL)]
    for name in names:
        ranker: Any = resolve(name, device=device)
        encoder = ranker.encoder
        ids = tokenize(encoder.checkpoint, list({*questions, *chain(*pools)}), encoder.max_length).ids
        shape = shape_of(encoder.checkpoint, int(encoder.checkpoint.config["num_hidden_layers"]))
        needed = {shape: operations([len(sequence) for sequence in ids], shape)}
        yield Job(name, "fp32", None, needed, ranker.signature, partial(ranker.score, questions, pools))


def _peer(pairs: Sequence[Pair], device: str, precision: str, batch: int) -> Callable[[], Any]:
    """Return a call of ``CrossEncoder.predict`` with the weights of ``sas``."""
    import torch

    metric: Any = answersim.metric("sas", device=Device(device))
    with tempfile.TemporaryDirectory() as place:
        peer = library_cross_encoder(metric.scorer, Path(place), device)
    peer.to({"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}[precision])
    turned = [Pair(pair.pred, pair.gold) for pair in pairs] if metric.order in ("mean", "max") else []
    return partial(predicted, peer, [*pairs, *turned], max(1, batch // _LONGEST))


def table(rows: Sequence[Row], note: str) -> Table:
    """Return a table with one line per metric, precision and batch size."""
    heads = ("metric", "precision", "tokens at a time", "pairs", "pairs/s", "MFLOP per pair", "share of the limit")
    lines = [(*row[:3], row.n, round(row.pairs_a_second), row.operations_a_pair / 1e6, row.limit_share) for row in rows]
    device = rows[0].device if rows else "no device"
    return Table.of(f"Pairs per second on {device}", heads, lines, (note,))


def _seconds(run: Callable[[], Any], device: str, clock: Clock) -> float:
    start = clock()
    run()
    wait(device)
    return clock() - start


def _check_device(device: str) -> None:
    """Raise LookupError if the device is not available, with the options to try the command without a GPU."""
    from answersim.metrics.neural import loading

    try:
        loading.device(device)
    except LookupError as error:
        raise LookupError(
            f"{error}. This command measures a GPU; --device cpu --size 200 --repetitions 1 tries it without a GPU"
        ) from None


if __name__ == "__main__":
    run_program(main)
