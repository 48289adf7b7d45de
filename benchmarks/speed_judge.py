"""The overhead of a judge: the time of many requests, beside the time that a server needs to answer them.

    python -m benchmarks.speed judge
    python -m benchmarks.speed judge --requests 1000 --concurrency 32 --milliseconds 50 --format json

A server in a separate process, on the loopback interface, answers each request after a fixed time. Every reply is
recorded in a file. The ideal time is requests / concurrency * time per request.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import typer

import answersim
from answersim.runtime.cli_errors import user_errors
from answersim.types import Pair
from benchmarks.options import FORM, OUTPUT, show
from benchmarks.tables import Format, Table

_REPLY = {
    "model": "fixed",
    "choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": '{"verdict": "yes"}'}}],
    "usage": {"prompt_tokens": 300, "completion_tokens": 7},
}


class JudgeSpeed(NamedTuple):
    """The time of many requests."""

    requests: int  # the number of requests
    concurrency: int  # the maximum number of requests at a time
    milliseconds: float  # the time that the server takes for each
    ideal_s: float  # the seconds of a client without overhead
    seconds: float  # the seconds of the judge, the median of the repetitions
    ratio: float  # its seconds divided by the ideal ones
    cpu_ms: float  # the milliseconds of CPU time that the judge takes per request
    replay_s: float  # the seconds of a replay from the record, which was not read before


def main(
    requests: int = typer.Option(1000, min=1, help="The number of requests."),
    concurrency: int = typer.Option(32, min=1, help="The maximum number of requests at a time."),
    milliseconds: float = typer.Option(50.0, min=0, help="The time that the server takes for each request."),
    repetitions: int = typer.Option(3, min=1, help="The number of measurements."),
    form: Format = FORM,
    output: Path | None = OUTPUT,
) -> None:
    """Measure the wall time of many requests of a judge in seconds, beside the ideal time."""
    with user_errors():
        row = measure(requests, concurrency, milliseconds, repetitions)
    names = (
        "requests",
        "at a time",
        "ms each",
        "ideal (s)",
        "judge (s)",
        "ratio",
        "CPU per request (ms)",
        "replay (s)",
    )
    cells = (
        *(row.requests, row.concurrency, row.milliseconds, round(row.ideal_s, 3), round(row.seconds, 3)),
        *(round(row.ratio, 2), round(row.cpu_ms, 2), round(row.replay_s, 3)),
    )
    notes = ("wall time, of a machine without other work; the server runs in a second process on the same machine",)
    shown = Table.of("Requests of a judge", names, (cells,), notes)
    show([shown], [row], form, output)


def measure(requests: int, concurrency: int, milliseconds: float, repetitions: int) -> JudgeSpeed:
    """Return the median times of asking and replaying this many requests."""
    pairs = [Pair(f"gold answer {i}", f"candidate {i}") for i in range(requests)]
    taken: list[tuple[float, float, float]] = []
    with tempfile.TemporaryDirectory() as folder, server(milliseconds / 1000) as url:
        for number in range(repetitions):
            record = Path(folder) / f"record-{number}.jsonl"
            metric = answersim.metric(
                "judge", base_url=url, model="fixed", record=record, transport={"concurrency": concurrency}
            )
            start, cpu = time.perf_counter(), time.process_time()
            metric(pairs)
            seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
            copied = record.rename(Path(folder) / f"copy-{number}.jsonl")  # not read before under this name
            start = time.perf_counter()
            answersim.metric("judge", model="fixed", record=copied, replay=True)(pairs)
            taken.append((seconds, cpu, time.perf_counter() - start))
    seconds, cpu, replay = np.median(np.array(taken), axis=0).tolist()
    ideal = requests / concurrency * milliseconds / 1000
    ratio = seconds / ideal if ideal else float("nan")
    return JudgeSpeed(requests, concurrency, milliseconds, ideal, seconds, ratio, cpu / requests * 1000, replay)


@contextmanager
def server(seconds: float) -> Iterator[str]:
    """Run a server in a separate process that answers each request after this time. Yield its base URL."""
    code = f"from benchmarks.speed_judge import serve; serve({seconds!r})"
    folder = Path(__file__).parent.parent
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=folder)
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally:
        process.kill()
        process.wait()
        process.stdout.close()  # type: ignore[union-attr] # it is a pipe


def serve(seconds: float) -> None:
    """Answer requests on a free port of the loopback interface until the process is killed; print the port."""
    body = json.dumps(_REPLY).encode()
    reply = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = head.partition(b"content-length:")[2].partition(b"\r\n")[0]
                await reader.readexactly(int(length))
                await asyncio.sleep(seconds)
                writer.write(reply)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            writer.close()

    async def run() -> Any:
        listener = await asyncio.start_server(answer, "127.0.0.1", 0)
        typer.echo(listener.sockets[0].getsockname()[1])
        async with listener:
            await listener.serve_forever()

    asyncio.run(run())
