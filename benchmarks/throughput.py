"""Pairs per second on a GPU: every neural metric in each precision, with its share of the limit of the GPU.

    python -m benchmarks.throughput
    python -m benchmarks.throughput --metrics bi-encoder,sas --precisions bf16 --size 20000 --format json
    python -m benchmarks.throughput --device cpu --size 200 --repetitions 1

Times are wall times until the device is idle, after one round that is not counted. The pairs are synthetic and have the
length of those of NQ-open. The limit is the rate of matrix products of the sizes of the encoder layers, measured in the
same run and precision. The share counts the operations that the tokens of the texts need, without padding. Work on the
CPU, mostly tokenization, lowers it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import typer

import answersim
from answersim._base.device import Device
from answersim._base.runtime.cli_errors import user_errors
from answersim.metrics.catalog.lookup import entry, network_options
from answersim.types import Pair, capabilities
from benchmarks.machine import machine
from benchmarks.made_answers import made_pairs
from benchmarks.options import FORM, OUTPUT, chosen, run_program, show
from benchmarks.products import Clock, Shape, multiplied_a_second, operations, wait
from benchmarks.speed_lexical import WORDS
from benchmarks.tables import Format, Table

METRICS = tuple(name for name in answersim.names() if entry(name).kind in ("neural", "composite"))
PRECISIONS = ("fp32", "bf16", "fp16")


class Row(NamedTuple):
    """The throughput of one metric in one precision."""

    metric: str  # the name of the metric
    precision: str  # the precision of its network
    device: str  # the device that it ran on
    n: int  # the number of pairs
    pairs_a_second: float  # the median over the repetitions
    operations_a_pair: float  # the mean floating-point operations per pair
    # the share of the operations per second that the device reaches in matrix products of those sizes
    limit_share: float
    signature: str  # the signature of the metric in this precision


def main(
    metrics: str = typer.Option(",".join(METRICS), help="Neural metrics, separated by commas."),
    precisions: str = typer.Option(",".join(PRECISIONS), help="Precisions, separated by commas."),
    size: int = typer.Option(20_000, min=1, help="Made pairs."),
    repetitions: int = typer.Option(5, min=1, help="The number of measurements of each."),
    batch_tokens: int = typer.Option(131_072, min=1, help="The maximum number of tokens per batch."),
    device: str = typer.Option("cuda", help="cuda, cuda:1 ... or mps; cpu to try the command without a GPU."),
    form: Format = FORM,
    output: Path | None = OUTPUT,
) -> None:
    """Measure the pairs per second of each neural metric and precision, and the share of the limit of the device."""
    with user_errors("benchmarks.throughput"):
        names = chosen("neural metric", metrics, METRICS)
        ways = chosen("precision", precisions, PRECISIONS)
        _check_device(device)
        network_options(names, device)
        pairs = made_pairs(size, *WORDS["short"], rng=np.random.default_rng(0))
        measured = rows(names, ways, device, pairs, repetitions, batch_tokens)
    note = f"{repetitions} repetitions, {batch_tokens:,} tokens at a time; {machine().line}"
    show([table(measured, note)], measured, form, output)


def rows(
    metrics: Sequence[str],
    precisions: Sequence[str],
    device: str,
    pairs: Sequence[Pair],
    repetitions: int,
    batch_tokens: int,
    clock: Clock = time.perf_counter,
) -> list[Row]:
    """Measure each metric in each precision on this device."""
    measured = []
    for precision in precisions:
        limits: dict[Shape, float] = {}
        for name in metrics:
            built = answersim.metric(name, device=Device(device, precision, batch_tokens))
            taken = [_seconds(built, pairs, device, clock) for _ in range(repetitions + 1)][1:]
            needed = needs(built, pairs)
            for shape in needed:
                if shape not in limits:
                    limits[shape] = multiplied_a_second(shape, precision, device, clock=clock)
            seconds = float(np.median(taken))
            least = sum(count / limits[shape] for shape, count in needed.items())  # seconds, at the limit
            measured.append(
                Row(
                    metric=name,
                    precision=precision,
                    device=device,
                    n=len(pairs),
                    pairs_a_second=len(pairs) / seconds,
                    operations_a_pair=sum(needed.values()) / len(pairs),
                    limit_share=least / seconds,
                    signature=built.signature,
                )
            )
    return measured


def needs(metric: Any, pairs: Sequence[Pair]) -> dict[Shape, float]:
    """Count the floating-point operations of the matrix products that these pairs need, by the shape of the network.

    Texts, or pairs of texts, with equal tokens count once per encoder, because they run once. A composite metric needs
    the operations of its parts, and those of parts on the same encoder count once. Only the first token of each pair
    is read from the last layer of a cross-encoder, so only its operations count there.
    """
    from answersim.metrics.neural.tokens import tokenize

    read: dict[Any, set[tuple[int, ...]]] = {}
    depth: dict[Any, int] = {}
    scorers: set[Any] = set()
    for part in getattr(metric, "parts", (metric,)):
        encoder, cost = capabilities(part).encoder, capabilities(part).cost
        if cost != "model":
            continue  # a lexical metric
        backbone = part.scorer if encoder is None else encoder
        limit = backbone.max_length
        if encoder is not None:
            request = part.request(pairs)
            texts: Sequence[Any] = list(dict.fromkeys(request.texts))
            limit, layers = request.max_length, backbone.layers if request.layer is None else request.layer
        else:
            both = {"mean": 2, "max": 2}.get(part.order, 1)
            texts = [(pair.gold, pair.pred) for pair in pairs] + [(pair.pred, pair.gold) for pair in pairs] * (both - 1)
            texts, layers = list(dict.fromkeys(texts)), int(backbone.checkpoint.config["num_hidden_layers"])
            scorers.add(backbone)
        sequences = tokenize(backbone.checkpoint, texts, limit).ids
        read.setdefault(backbone, set()).update(map(tuple, sequences))
        depth[backbone] = max(depth.get(backbone, 0), layers)
    needed: dict[Shape, float] = {}
    for backbone, sequences_ in read.items():
        config = backbone.checkpoint.config
        shape = Shape(depth[backbone], int(config["hidden_size"]), int(config["intermediate_size"]))
        lengths = [len(ids) for ids in sequences_]
        count = operations(lengths, shape)
        if backbone in scorers:
            count = operations(lengths, shape._replace(layers=shape.layers - 1)) + read_by_the_first(lengths, shape)
        needed[shape] = needed.get(shape, 0.0) + count
    return needed


def read_by_the_first(lengths: Sequence[int], shape: Shape) -> float:
    """Count the operations of a layer that is read at the first token only. All tokens need keys and values.

    >>> read_by_the_first([2], Shape(layers=1, width=3, inner=5))
    192.0
    """
    tokens, texts = float(sum(lengths)), len(lengths)
    first = 2 * shape.width**2 + 2 * shape.width * shape.inner  # query and output, and the feed-forward layer
    return 2.0 * (tokens * 2 * shape.width**2 + texts * first + 2 * tokens * shape.width)


def table(rows: Sequence[Row], note: str) -> Table:
    """Return a table with one line per metric and precision."""
    heads = ("metric", "precision", "pairs", "pairs per second", "MFLOP per pair", "share of the limit")
    lines = tuple(
        (row.metric, row.precision, row.n, round(row.pairs_a_second), row.operations_a_pair / 1e6, row.limit_share)
        for row in rows
    )
    device = rows[0].device if rows else "no device"
    return Table.of(f"Pairs per second on {device}", heads, lines, (note,))


def _seconds(metric: Any, pairs: Sequence[Pair], device: str, clock: Clock) -> float:
    start = clock()
    answersim.score_pairs(pairs, [metric], progress=False)
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
