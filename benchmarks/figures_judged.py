"""The figure of docs/choosing.md: the separation of correct from incorrect answers by each metric, with intervals.

    python -m benchmarks.figures_judged benchmarks/results/judged.json --output docs

It draws the records that ``python -m benchmarks.judged --records`` writes.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from answersim._base.runtime.cli_errors import user_errors
from answersim.metrics.checkpoints.search import read_json
from answersim.stats.intervals.resampling import Estimate
from benchmarks import plots
from benchmarks.options import run_program

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "judged-answers.png"
SETS = {"evouna-test": "TriviaQA answers", "efficientqa-sas": "EfficientQA"}
# From the metric that reads only words to the metric that reads the most.
METRICS = (
    "length",
    "f1",
    "recall",
    "bertscore-trained",
    "sas",
    "sas-answers",
    "sas-answers + question",
    "answersim",
    "answersim + question",
)


def main(
    records: Annotated[Path, typer.Argument(help="The records of `python -m benchmarks.judged --records`.")],
    output: Annotated[Path, typer.Option(help="The folder of the files.")] = Path("docs"),
) -> None:
    """Draw the AUC of each metric on the held-out sets, as PNG."""
    with user_errors():
        stored = read_json(records)
        read = {name: of_set(stored, name) for name in SETS}
        output.mkdir(parents=True, exist_ok=True)
        plots.save(forest(read), output / NAME)
        typer.echo(output / NAME)


def of_set(records: Any, name: str) -> dict[str, Estimate]:
    """Return the AUC of every drawn metric on all answers of a set, with its interval, in the order of the figure.

    Raise ValueError if the records contain no such set, or one of the metrics is missing.
    """
    table = records["Quality"]
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
    found = {
        row["metric"]: Estimate(row["auc"], row["auc_low"], row["auc_high"])
        for row in rows
        if row["dataset"] == name and row["subset"] == "all"
    }
    missing = [metric for metric in METRICS if metric not in found]
    if missing:
        raise ValueError(
            f"the records have no row for {', '.join(missing)} on {name}; make them with "
            f"'python -m benchmarks.judged --sets {','.join(SETS)} --records FILE'"
        )
    return {metric: found[metric] for metric in METRICS}


def forest(sets: dict[str, dict[str, Estimate]]) -> Figure:
    """Draw one row per metric and one point with its interval per set."""
    label = "AUC: how often a correct answer scores above an incorrect one\n(95 % interval over questions)"
    figure = plots.forest({SETS[name]: values for name, values in sets.items()}, label=label)
    figure.axes[0].axvline(0.5, color="#b0b0b0", linewidth=0.8, linestyle=":")
    return figure


if __name__ == "__main__":
    run_program(main)
