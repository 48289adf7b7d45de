"""The speed of encoders beside busy programs, if threads wait passively and if they keep their cores.

    python -m benchmarks.speed busy
    python -m benchmarks.speed busy --loops 0,4 --size 1000 --repetitions 5

OpenMP reads how its threads wait when torch is imported, so every measurement has a process of its own. The busy
programs are endless loops. Both ways run in turns, and their scores are compared.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import typer

from answersim.runtime.cli_errors import user_errors
from benchmarks import speed_lexical
from benchmarks.machine import machine
from benchmarks.options import FOLDER, FORM, OUTPUT, show
from benchmarks.speed_rows import Row, table
from benchmarks.tables import Format

METRICS = ("bi-encoder", "sas")
SIZE = 1000
_WAITING = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME")
# The default of Intel's OpenMP. That of GNU does not read it, and has its own default. The package leaves both.
_DEFAULT = {"KMP_BLOCKTIME": "200"}
# Reads pairs, scores them once to load the network, and prints the seconds of the second time and the scores.
_CHILD = """
import json, sys, time
import answersim
name, pairs = json.load(sys.stdin)
metric = answersim.metric(name)
answersim.score_pairs(pairs[:50], [metric], progress=False)
start = time.perf_counter()
scores = answersim.score_pairs(pairs, [metric], progress=False)[metric.signature]
json.dump([time.perf_counter() - start, scores.values.tolist()], sys.stdout)
"""


def main(
    loops: str = typer.Option("0,4", help="Numbers of busy loops, separated by commas."),
    size: int = typer.Option(SIZE, min=1, help="The number of pairs."),
    repetitions: int = typer.Option(3, min=1, help="The number of measurements of each, in turns."),
    folder: Path | None = FOLDER,
    form: Format = FORM,
    output: Path | None = OUTPUT,
) -> None:
    """Measure the seconds of encoders beside busy loops, with passive and with usual waiting."""
    with user_errors():
        measured = rows([int(count) for count in loops.split(",")], size, repetitions, folder)
    notes = (
        "ours: the threads of torch wait passively, as this package sets it; peer: they wait as OpenMP does by default",
        "seconds of wall time without loading; medians of alternating repetitions, each in a new process",
        machine().line,
    )
    title = "Encoders beside busy programs"
    show([table(title, measured, notes)], measured, form, output)


def rows(
    loops: Sequence[int] = (0, 4), size: int = SIZE, repetitions: int = 3, folder: Path | None = None
) -> list[Row]:
    """Measure each metric beside each number of busy loops."""
    pairs = [list(pair) for pair in speed_lexical.short_pairs(size, folder)]
    measured = []
    for count in loops:
        for name in METRICS:
            with busy(count):
                passive, usual = zip(
                    *((_seconds(name, pairs, {}), _seconds(name, pairs, _DEFAULT)) for _ in range(repetitions)),
                    strict=True,
                )
            ours, theirs = (np.array([seconds for seconds, _ in runs]) for runs in (passive, usual))
            apart = np.abs(np.array(passive[0][1]) - np.array(usual[0][1])).max()
            measured.append(
                Row(
                    f"{name}, {count} busy loops",
                    "usual waiting",
                    len(pairs),
                    float(np.median(ours)),
                    float(np.median(theirs)),
                    float(np.median(theirs / ours)),
                    float(apart),
                    precision="fp32",
                )
            )
    return measured


@contextmanager
def busy(count: int) -> Iterator[None]:
    """Run so many endless loops beside the block, each in a process of its own."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def _seconds(name: str, pairs: Sequence[Sequence[str]], waiting: dict[str, str]) -> tuple[float, list[float]]:
    """Return the seconds and the scores of a process whose threads wait like this; {} is the choice of the package."""
    environment = {key: value for key, value in os.environ.items() if key not in (*_WAITING, "OMP_NUM_THREADS")}
    run = subprocess.run(
        [sys.executable, "-c", _CHILD],
        input=json.dumps([name, pairs]),
        env=environment | waiting,
        capture_output=True,
        text=True,
        check=True,
    )
    seconds, scores = json.loads(run.stdout)
    return seconds, scores
