"""The cost of each metric: CPU time per thousand pairs, which appendix E of the SAS paper gives in minutes.

    python -m benchmarks.costs
    python -m benchmarks.costs --dataset probe --pairs 50 --metrics f1,bi-encoder

Every metric scores the same pairs on one thread. The first call loads what it needs and is not counted. Each further
call gets new pairs, so that caches between calls have no effect.
"""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import typer

import answersim
from answersim._base.runtime.cli_errors import user_errors
from answersim.evaluation.data import load
from answersim.types import Metric, Pair
from benchmarks.machine import cpu_name, installed_version, one_thread
from benchmarks.options import names_in, run_program
from benchmarks.tables import save

RESULTS = Path(__file__).parent / "results" / "costs.json"
METRICS = (
    "em,f1,recall,containment,bleu-paper,rouge-l,meteor,typed+f1,typed+recall,"
    "bi-encoder,bertscore-vanilla,bertscore-trained,bi-encoder-names,bertscore-names,sas,sas-answers,answersim,"
    "typed+answersim"
)
# Appendix E: seconds of CPU time for the pairs of NQ-open, on 4 cores of 2.7 GHz, with the models of Table 6.
PAPER_PAIRS = 3559
PAPER = {
    "bleu-paper": 10.0,
    "rouge-l": 10.0,
    "meteor": 10.0,
    "f1": 10.0,
    "bi-encoder": 120.0,
    "bertscore-trained": 180.0,
    "sas": 600.0,
}
PACKAGES = ("answersim", "numpy", "torch", "transformers", "nltk", "sacrebleu", "rouge-score")


class Cost(NamedTuple):
    """Seconds of CPU time per thousand pairs: the median, the minimum and the maximum of several calls."""

    metric: str
    seconds: float
    least: float
    most: float
    signature: str


def main(
    dataset: str = typer.Option("nq-open", help="The data set whose pairs are scored."),
    metrics: str = typer.Option(METRICS, help="Metrics, separated by commas."),
    pairs: int = typer.Option(500, min=1, help="The number of pairs per call."),
    repetitions: int = typer.Option(5, min=1, help="The number of calls, each with other pairs."),
    output: Path = typer.Option(RESULTS, help="The file to write."),
) -> None:
    """Measure the CPU time of each metric on one thread, with the machine and the versions, as JSON."""
    with user_errors():
        data = load(dataset)
        measured = costs(names_in(metrics), data.pairs, pairs, repetitions, data.lang)
    about = {"dataset": dataset, "pairs": pairs, "repetitions": repetitions, "threads": 1, **machine()}
    save(json.dumps(about | {"costs": [cost._asdict() for cost in measured]}, indent=1) + "\n", output)
    for cost in measured:
        typer.echo(f"{cost.metric:<20} {cost.seconds:9.3f} s per 1,000 pairs  [{cost.least:.3f}, {cost.most:.3f}]")
    typer.echo(f"written: {output}")


def costs(names: Sequence[str], pairs: Sequence[Pair], size: int, repetitions: int, lang: str = "en") -> list[Cost]:
    """Measure the cost of each of these metrics. A first call on separate pairs is not counted.

    Raise ValueError if there are fewer pairs than all calls together need.
    """
    needed = size * (repetitions + 1)
    if len(pairs) < needed:
        raise ValueError(
            f"{repetitions} calls of {size} pairs and one call before them need {needed} pairs, but there are "
            f"{len(pairs)}"
        )
    measured = []
    with one_thread():
        for name in names:
            metric = answersim.metric(name, lang=lang)
            parts = [pairs[i * size : (i + 1) * size] for i in range(repetitions + 1)]
            taken = np.array([_seconds(metric, part) for part in parts][1:]) * 1000 / size
            measured.append(
                Cost(name, float(np.median(taken)), float(taken.min()), float(taken.max()), metric.signature)
            )
    return measured


def read(path: Path = RESULTS) -> list[Cost]:
    """Read the costs from a file that ``main`` wrote."""
    return [Cost(**record) for record in json.loads(path.read_text(encoding="utf-8"))["costs"]]


def paper() -> dict[str, float]:
    """Return the times of appendix E in seconds per thousand pairs."""
    return {name: seconds * 1000 / PAPER_PAIRS for name, seconds in PAPER.items()}


def machine() -> dict[str, Any]:
    """Return the environment of the numbers: the CPU, the system, Python and the packages."""
    return {
        "machine": platform.machine(),
        "processor": cpu_name() or platform.processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "versions": {name: installed_version(name) for name in PACKAGES},
    }


def _seconds(metric: Metric, pairs: Sequence[Pair]) -> float:
    start = time.process_time()
    metric(pairs)
    return time.process_time() - start


if __name__ == "__main__":
    run_program(main)
