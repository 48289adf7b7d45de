"""The CPU time of a new process: ours, ``import numpy``, and other libraries of metrics.

    python -m benchmarks.speed start

All programs start once per round, so that other work on the machine affects them alike. The first round, which writes
bytecode into an empty folder, is not counted.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import typer

from answersim._base.runtime.cli_errors import user_errors
from benchmarks.machine import machine
from benchmarks.options import FORM, OUTPUT, show
from benchmarks.tables import Format, Table, interval

PROGRAMS = {
    "python": ("-c", "pass"),
    "import numpy": ("-c", "import numpy"),
    "import sacrebleu": ("-c", "import sacrebleu"),
    "import rouge_score": ("-c", "from rouge_score import rouge_scorer"),
    "import answersim": ("-c", "import answersim"),
    "score by f1": ("-c", "import answersim; answersim.score('a', 'b', 'f1')"),
    "answersim --help": ("-m", "answersim", "--help"),
    "answersim evaluate": ("-m", "answersim", "evaluate", "two.csv", "-m", "recall"),
}
TABLE = "gold,pred\nRome,in Rome\nOslo,Bergen\n"


class Start(NamedTuple):
    """The CPU seconds of a process, from its start to its end."""

    program: str  # what it runs
    median_s: float  # the median of the rounds
    low_s: float  # the first quartile
    high_s: float  # the third quartile


def main(
    rounds: int = typer.Option(11, min=1, help="How often each program starts, in turns."),
    form: Format = FORM,
    output: Path | None = OUTPUT,
) -> None:
    """Measure the CPU time until a process has imported a library, scored a pair, or evaluated two rows."""
    with user_errors(), tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "two.csv").write_text(TABLE, encoding="utf-8")
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder, "PYTHONPATH": str(Path(__file__).parents[1])}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        _round(folder, environment)
        seconds = np.array([_round(folder, environment) for _ in range(rounds)])
    low, median, high = np.quantile(seconds, [0.25, 0.5, 0.75], axis=0).tolist()
    rows = [Start(*row) for row in zip(PROGRAMS, median, low, high, strict=True)]
    cells = [(row.program, f"{row.median_s:.3f}", interval(row.low_s, row.high_s)) for row in rows]
    notes = (f"CPU seconds of a process; {rounds} rounds in turns; bytecode is present", machine().line)
    show([Table.of("Start", ("program", "median (s)", "quartiles"), cells, notes)], rows, form, output)


def _round(folder: str, environment: Mapping[str, str]) -> list[float]:
    """Return the CPU seconds of each program."""
    return [_seconds([sys.executable, *program], folder, environment) for program in PROGRAMS.values()]


def _seconds(command: list[str], folder: str, environment: Mapping[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
