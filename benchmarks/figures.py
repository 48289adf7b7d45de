"""Figures 2, 3, 5, 6 and 7 of the SAS paper, and the costs of its appendix E, as PNG.

    python -m benchmarks.figures
    python -m benchmarks.figures --only 3,7 --scores computed --output figures

"recorded" scores are those of the models of the paper, "computed" scores those of our metrics on the same rows. The
costs come from ``benchmarks/results/costs.json``, which ``python -m benchmarks.costs`` writes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import typer

from answersim._base.arrays import FloatArray
from answersim._base.runtime.cli_errors import user_errors
from answersim.evaluation.agreement.coefficients.rows import ALL
from answersim.evaluation.agreement.subsets import ZERO, Mask, paper_subsets
from answersim.evaluation.data import LabeledPairs, load
from answersim.evaluation.data.datasets import RECORDED, locate
from answersim.evaluation.data.labeled import numbers, read_csv, read_pairs
from answersim.metrics.catalog import lookup
from answersim.scoring.score import score_pairs
from benchmarks import costs, layers, plots
from benchmarks.options import chosen, run_program
from benchmarks.paper_sets import OMITTED, PAPER_SETS, TITLES, Scores, scores_of, subsets

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ANNOTATED = "sas/recorded/nq_open_sas_low_scores_annotated.csv"
LAYERS = "sas/recorded/squad_all_layer_results.csv"
DEPTH = 12
VANILLA, TRAINED = "BERTScore vanilla", "BERTScore trained"
CAPTION = 0.01  # the threshold for SAS in the caption; the text has .25, which the file follows
# Figure 5 of the paper precedes the models trained on names.
METRICS = tuple(name for name in RECORDED if not name.endswith("-names"))


class Whose(str, Enum):
    """The origin of the scores in a figure."""

    recorded = "recorded"
    computed = "computed"


class LowScore(NamedTuple):
    """A pair that annotators call equivalent and SAS scores low, with the reason that the authors of the paper give."""

    category: str
    sas: float


def main(
    only: str = typer.Option("", help="Figures, separated by commas: 2, 3, 5, 6, 7, costs; the default is all."),
    scores: Whose = typer.Option(
        Whose.recorded, help="The scores that the paper recorded, or those of our metrics (3, 5, 6, 7)."
    ),
    output: Path = typer.Option(
        Path("runs/figures"), help="The folder to write to. It is created if it does not exist."
    ),
) -> None:
    """Draw the figures of the paper again as PNG."""
    with user_errors():
        names = chosen("figure", only, FIGURES) if only else list(FIGURES)
        output.mkdir(parents=True, exist_ok=True)
        for name in names:
            suffix = "" if scores is Whose.recorded or name in ("2", "costs") else f"-{scores.value}"
            path = output / (f"figure-{name}{suffix}.png" if name.isdigit() else f"{name}.png")
            plots.save(FIGURES[name](scores), path)
            typer.echo(f"written: {path}")


def figure_2(_: Whose) -> Figure:
    """Draw why SAS scores equivalent pairs low: the number of pairs by category."""
    counts = category_counts(low_scores())
    bars = [plots.Bar(name, n, part) for name, (n, part) in counts.items()]
    below = f"SAS < {CAPTION:g} (the caption's limit)"
    return plots.bars(
        bars, label="pairs of NQ-open with label 2 and SAS < 0.25", part=below, whole="SAS from there to 0.25"
    )


def figure_3(scores: Whose) -> Figure:
    """Draw the correlation by layer, of the recorded models or of the embedded encoder, on SQuAD."""
    return layers.draw(recorded_layers() if scores is Whose.recorded else computed_layers())


def figure_5(scores: Whose) -> Figure:
    """Draw all scores of all sets."""
    return plots.score_spread({TITLES[name]: columns(name, scores)[1] for name in PAPER_SETS})


def figure_6(scores: Whose) -> Figure:
    """Draw scores by label on GermanQuAD."""
    data, by_metric = columns("germanquad", scores)
    return plots.scores_by_label(by_metric, data.labels, float(data.labels.max()))


def figure_7(scores: Whose) -> Figure:
    """Draw SAS and BERTScore trained on NQ-open, F1 = 0."""
    data, by_metric = columns("nq-open", scores)
    zero = subsets(data)[ZERO]
    drawn = {"SAS": by_metric["sas"][zero], TRAINED: by_metric["bertscore-trained"][zero]}
    return plots.histograms(drawn, label=f"score, {zero.sum():,} pairs of NQ-open with F1 = 0")


def figure_costs(_: Whose) -> Figure:
    """Draw the measured costs of our metrics beside those of the paper (appendix E)."""
    ranges = [plots.Ends(cost.metric, cost.seconds, cost.least, cost.most) for cost in costs.read()]
    return plots.log_ranges(
        ranges,
        label="seconds of CPU time per 1,000 pairs of NQ-open",
        names=("measured here, one thread", "the models of the paper on its machine"),
        beside=costs.paper(),
    )


FIGURES: dict[str, Callable[[Whose], Figure]] = {
    "2": figure_2,
    "3": figure_3,
    "5": figure_5,
    "6": figure_6,
    "7": figure_7,
    "costs": figure_costs,
}


def low_scores() -> list[LowScore]:
    """Read the 154 annotated pairs of NQ-open with label 2 and a SAS score below .25, in the order of the file.

    The caption of Figure 2 has "SAS score < 0.01", and the text of section 5 "below 0.25". The file agrees with the
    text: its scores are between .009 and .240, and 62 of them are below .01.
    """
    path = locate("nq-open", ANNOTATED)
    rows = read_csv(path, ["Explanation", "sas"], encoding="mac_roman")
    sas = numbers(path, rows, "sas")
    return [LowScore(row["Explanation"].strip(), float(score)) for row, score in zip(rows, sas, strict=True)]


def category_counts(pairs: list[LowScore]) -> dict[str, tuple[int, int]]:
    """Count the pairs by category, most frequent first, and those of them below the threshold of the caption."""
    every = Counter(pair.category for pair in pairs)
    low = Counter(pair.category for pair in pairs if pair.sas < CAPTION)
    return {name: (n, low[name]) for name, n in sorted(every.items(), key=lambda item: (-item[1], item[0]))}


def recorded_layers(resamples: int = 1000) -> dict[str, list[layers.Point]]:
    """Return the curves of Figure 3 of the paper, from the recorded scores of layers 0 to 12 for the 942 rows."""
    path = locate("squad", LAYERS)
    endings = {VANILLA: "bert_score", TRAINED: "bert_score_prime"}
    columns = {f"{layer}_{ending}" for ending in endings.values() for layer in range(DEPTH + 1)}
    data = read_pairs(path, gold="answer1", pred="answer2", recorded={name: name for name in ["f1", *columns]})
    curves = {}
    for name, ending in endings.items():
        by_layer = {layer: data.recorded[f"{layer}_{ending}"] for layer in range(DEPTH + 1)}
        curves[name] = layers.curves(by_layer, data.labels, parts(data), resamples)
    return curves


def computed_layers(resamples: int = 1000) -> dict[str, list[layers.Point]]:
    """Return the same curves for the encoders of our metrics, with one pass per encoder over the texts of SQuAD."""
    data = load("squad", cleaning="recorded")
    points = {}
    for name in ("bertscore-trained", "bertscore-names"):
        metric: Any = lookup.metric(name)
        by_layer = [replace(metric, layer=layer) for layer in range(metric.encoder.layers + 1)]
        scores = score_pairs(data.pairs, by_layer)
        columns = {built.layer: scores[built.signature].values for built in by_layer}
        points[name] = layers.curves(columns, data.labels, parts(data), resamples)
    return points


def parts(data: LabeledPairs) -> dict[str, Mask]:
    """Return the rows of the figure: without lexical overlap, with overlap, and all."""
    return {**paper_subsets(data), ALL: np.ones(len(data), dtype=bool)}


def columns(name: str, scores: Whose) -> tuple[LabeledPairs, dict[str, FloatArray]]:
    """Return the rows of this set and the scores to draw, by metric."""
    wanted = [metric for metric in METRICS if (name, metric) not in OMITTED]
    data, scored = scores_of(name, wanted, Scores(scores.value), "embedded")
    return data, {column.metric: column.values for column in scored}


if __name__ == "__main__":
    run_program(main)
