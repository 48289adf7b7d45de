"""The speed of the measures of a run, beside ir_measures on the same run.

    python -m benchmarks.speed ranking

Run and grades are synthetic: 1,000 questions with 100 graded documents each. Reading files, intervals and tests are not
counted. Both have the same measures, and the program ends if a value differs by more than rounding.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import ir_measures
import numpy as np
import typer

from answersim._base.runtime.cli_errors import user_errors
from benchmarks.machine import machine
from benchmarks.options import FORM, OUTPUT, show
from benchmarks.tables import Format, Table
from rankers.evaluation.evaluate import evaluate
from rankers.evaluation.measures import USUAL
from rankers.evaluation.qrels import Qrels
from rankers.types import Run

DOCUMENTS = 100  # per question


class RankingSpeed(NamedTuple):
    """The CPU time of a program for all measures of a run."""

    program: str  # the program
    n: int  # the number of documents
    seconds: float  # CPU time, the least of the repetitions
    ratio: float  # that of ir_measures is 1


def main(
    questions: int = typer.Option(1000, min=1, help="The number of questions, with 100 documents each."),
    repetitions: int = typer.Option(7, min=1, help="How often each program runs; the quickest counts."),
    seed: int = typer.Option(0, help="The seed of scores and grades."),
    form: Format = FORM,
    output: Path | None = OUTPUT,
) -> None:
    """Measure the usual ranking measures of a synthetic run."""
    with user_errors():
        rng = np.random.default_rng(seed)
        names = [[f"{i}-{j}" for j in range(DOCUMENTS)] for i in range(questions)]
        scores = {f"q{i}": dict(zip(of, rng.random(DOCUMENTS).tolist(), strict=True)) for i, of in enumerate(names)}
        grades = {
            q: dict(zip(of, (rng.random(DOCUMENTS) < 0.1).astype(int).tolist(), strict=True))
            for q, of in scores.items()
        }
        measures = [ir_measures.parse_measure(name) for name in USUAL]
        theirs, values = _timed(lambda: ir_measures.calc_aggregate(measures, grades, scores), repetitions)
        ours, found = _timed(
            lambda: evaluate(Run("made", scores), Qrels(grades), without_positives="zero"), repetitions
        )
        for name, measure in zip(USUAL, measures, strict=True):
            if not np.isclose(found.mean(name), values[measure], atol=1e-6):
                raise ValueError(f"{name} is {found.mean(name)} here and {values[measure]} by ir_measures")
        n = questions * DOCUMENTS
        rows = [RankingSpeed("ir_measures", n, theirs, 1.0), RankingSpeed("rankers.evaluate", n, ours, ours / theirs)]
    columns = ("program", "documents", "CPU s", "times the CPU time of ir_measures")
    show([Table.of("Measures of a run", columns, [tuple(row) for row in rows], (machine().line,))], rows, form, output)


def _timed(work: Callable[[], Any], repetitions: int) -> tuple[float, Any]:
    """Return the least CPU time of these repetitions, and the result of the last one."""
    times = []
    for _ in range(repetitions):
        start = time.process_time()
        result = work()
        times.append(time.process_time() - start)
    return min(times), result
