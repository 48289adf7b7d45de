"""The load on ``answersim serve``: many requests at the same time, beside the same requests one after another.

    python -m benchmarks.speed serving
    python -m benchmarks.speed serving --metric rules --requests 960

The service is a process of its own on this machine, and the client another one. Each request has one row, and its own
connection. The rows are those that the rules leave to the encoder, unless the metric is "rules". No row repeats, so no
score is remembered.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import numpy as np
import typer

from answersim.runtime.cli_errors import user_errors
from benchmarks.machine import machine
from benchmarks.options import FORM, OUTPUT, show
from benchmarks.reasoning_outputs import ReasoningOutput, reasoning_outputs
from benchmarks.tables import Format, Table

REQUESTS = 960


class ServingSpeed(NamedTuple):
    """The requests of one way to call the service."""

    metric: str  # the metric of the service
    way: str  # "at the same time" or "one by one"
    n: int  # the number of requests
    lost: int  # requests without a reward
    median_ms: float  # the median of the time to the answer
    p99_ms: float  # its 99th percentile
    per_second: float  # rows per second


def main(
    metric: str = typer.Option("answersim,rules", help="Metrics of the service, separated by commas."),
    requests: int = typer.Option(REQUESTS, min=1, help="The number of requests at the same time."),
    one_by_one: int = typer.Option(200, min=1, help="The number of requests one after another."),
    rounds: int = typer.Option(3, min=1, help="How often both are measured, in turns."),
    form: Format = FORM,
    output: Path | None = OUTPUT,
) -> None:
    """Measure a service under load."""
    found: list[ServingSpeed] = []
    with user_errors():
        for name in metric.split(","):
            with service(name) as address:
                found += measured(name, address, requests, one_by_one, rounds)
    show([table(found)], found, form, output)


@contextmanager
def service(metric: str) -> Iterator[str]:
    """Start a service with this metric and yield its address; end it."""
    chosen = ["--metric", metric] if metric == "rules" else []
    command = [sys.executable, "-m", "answersim", "serve", "--port", "0", "--limit", "seconds=60", *chosen]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        try:
            lines = iter(process.stdout.readline, "")
            address = next((line.split()[-1] for line in lines if line.startswith("serving on ")), "")
            if not address:
                raise ChildProcessError(f"the service did not start; run it by hand: {' '.join(command)}")
            yield address
        finally:
            process.terminate()


def measured(metric: str, address: str, requests: int, one_by_one: int, rounds: int) -> list[ServingSpeed]:
    """Return a row for requests at the same time and one for those one by one; both are called in turns."""
    rows = _rows(metric, rounds * (requests + one_by_one))
    together: list[tuple[float, bool]] = []
    alone: list[tuple[float, bool]] = []
    seconds = {"at the same time": 0.0, "one by one": 0.0}
    for _ in range(rounds):
        start = time.perf_counter()
        together += asyncio.run(_at_once(address, rows[:requests]))
        seconds["at the same time"] += time.perf_counter() - start
        start = time.perf_counter()
        alone += asyncio.run(_in_turn(address, rows[requests : requests + one_by_one]))
        seconds["one by one"] += time.perf_counter() - start
        rows = rows[requests + one_by_one :]
    return [
        _summary(metric, way, calls, seconds[way])
        for way, calls in (("at the same time", together), ("one by one", alone))
    ]


def _rows(metric: str, n: int) -> list[ReasoningOutput]:
    """Return outputs with different final answers. Of a metric with an encoder, those that it has to score."""
    rng = np.random.default_rng(0)
    rows: list[ReasoningOutput] = []
    while len(rows) < n:
        made = reasoning_outputs(max(20, n // 2), rng=rng)
        rows += [row for row in made if metric == "rules" or (row.kind != "number" and row.answer != "right")]
    return rows[:n]


async def _at_once(address: str, rows: Sequence[ReasoningOutput]) -> list[tuple[float, bool]]:
    return await asyncio.gather(*(_call(address, row) for row in rows))


async def _in_turn(address: str, rows: Sequence[ReasoningOutput]) -> list[tuple[float, bool]]:
    return [await _call(address, row) for row in rows]


async def _call(address: str, row: ReasoningOutput) -> tuple[float, bool]:
    """Return the seconds to the answer, and whether it contains a reward."""
    body = json.dumps({"golds": [row.gold], "preds": [row.completion]}).encode()
    place = urlsplit(address)
    head = f"POST /score HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    start = time.perf_counter()
    try:
        reader, writer = await asyncio.open_connection(place.hostname, place.port)
        writer.write(head.encode() + body)
        await writer.drain()
        received = await reader.read()
        writer.close()
        status, _, text = received.partition(b"\r\n\r\n")
        answered = b" 200 " in status[:20] and json.loads(text)["scores"][0] is not None
    except (OSError, ValueError):
        answered = False
    return time.perf_counter() - start, answered


def _summary(metric: str, way: str, calls: Sequence[tuple[float, bool]], seconds: float) -> ServingSpeed:
    times = np.array([each for each, _ in calls]) * 1000
    lost = sum(not answered for _, answered in calls)
    return ServingSpeed(
        metric, way, len(calls), lost, float(np.median(times)), float(np.percentile(times, 99)), len(calls) / seconds
    )


def table(rows: Sequence[ServingSpeed]) -> Table:
    """Return the table of these rows."""
    columns = ("metric", "requests", "n", "lost", "median ms", "p99 ms", "rows/s")
    cells = tuple((*row[:4], round(row.median_ms), round(row.p99_ms), round(row.per_second)) for row in rows)
    return Table.of("A service under load", columns, cells, (f"wall time; {machine().line}",))
