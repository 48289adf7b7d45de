"""The figure of README: the separation of correct from incorrect answers by each metric, with intervals.

    python -m benchmarks.figures_judged benchmarks/results/judged.json --output docs

It draws the records that ``python -m benchmarks.judged --records`` writes.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from answersim.checkpoints.search import read_json
from answersim.report.drawing import save
from answersim.runtime.cli_errors import user_errors

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "judged-answers"
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
BLUE, ORANGE = "#0072B2", "#D55E00"  # of the palette of Okabe and Ito, which color-blind readers can tell apart


class Auc(NamedTuple):
    """The AUC of a metric on a set, with its 95 % interval over questions."""

    metric: str
    value: float
    low: float
    high: float


def main(
    records: Annotated[Path, typer.Argument(help="The records of `python -m benchmarks.judged --records`.")],
    output: Annotated[Path, typer.Option(help="The folder for PNG and SVG.")] = Path("docs"),
) -> None:
    """Draw the AUC of each metric on the held-out sets, as PNG and SVG."""
    with user_errors():
        stored = read_json(records)
        read = {name: of_set(stored, name) for name in SETS}
        output.mkdir(parents=True, exist_ok=True)
        for path in save(forest(read), output / NAME):
            typer.echo(path)


def of_set(records: Any, name: str) -> list[Auc]:
    """Return the AUC of every drawn metric on all answers of a set, in the order of the figure.

    Raise ValueError if the records contain no such set, or one of the metrics is missing.
    """
    table = records["Quality"]
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
    found = {
        row["metric"]: Auc(row["metric"], row["auc"], row["auc_low"], row["auc_high"])
        for row in rows
        if row["dataset"] == name and row["subset"] == "all"
    }
    missing = [metric for metric in METRICS if metric not in found]
    if missing:
        raise ValueError(
            f"the records have no row for {', '.join(missing)} on {name}; make them with "
            f"'python -m benchmarks.judged --sets {','.join(SETS)} --records FILE'"
        )
    return [found[metric] for metric in METRICS]


def forest(sets: dict[str, list[Auc]]) -> Figure:
    """Draw one row per metric and one point with its interval per set."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 3.4), layout="constrained")
    axes = figure.add_subplot()
    styles = [(BLUE, "o"), (ORANGE, "s")]
    for shift, (name, values), (color, marker) in zip((-0.14, 0.14), sets.items(), styles, strict=True):
        places = [len(values) - 1 - i - shift for i in range(len(values))]
        centers = [auc.value for auc in values]
        errors = [[auc.value - auc.low for auc in values], [auc.high - auc.value for auc in values]]
        axes.errorbar(
            centers, places, xerr=errors, fmt=marker, color=color, markersize=4.5, capsize=2, label=SETS[name]
        )
    axes.set_yticks(range(len(METRICS)), list(reversed(METRICS)))
    axes.axvline(0.5, color="#999999", linewidth=0.8, linestyle=":")
    axes.set_xlabel("AUC: how often a correct answer scores above an incorrect one (95 % interval over questions)")
    axes.set_xlim(0.15, 1.01)
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.legend(loc="lower left", frameon=False)
    return figure


if __name__ == "__main__":
    typer.run(main)
