"""Figures 2, 3, 5, 6 and 7 of the SAS paper, and the costs of its appendix E, as PNG and SVG.

    python -m benchmarks.figures
    python -m benchmarks.figures --only 3,7 --scores computed --output figures

"recorded" are the scores that the paper's own models gave, "computed" those of our metrics on the same rows. The costs
are those of ``benchmarks/results/costs.json``, which ``python -m benchmarks.costs`` measures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import typer

from answersim import catalog
from answersim.agreement.layers import Point, curves, score_layers
from answersim.agreement.results import ALL
from answersim.agreement.subsets import ZERO, Mask, paper_subsets
from answersim.cli_errors import user_errors
from answersim.data import LabeledPairs, load
from answersim.data.datasets import RECORDED, locate
from answersim.data.labeled import numbers, read_csv, read_pairs
from answersim.errors import unknown
from answersim.report import figures
from answersim.types import FloatArray
from benchmarks import costs
from benchmarks.paper_sets import OMITTED, PAPER_SETS, TITLES, Scores, scores_of, subsets

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ANNOTATED = "sas/recorded/nq_open_sas_low_scores_annotated.csv"
LAYERS = "sas/recorded/squad_all_layer_results.csv"
DEPTH = 12
VANILLA, TRAINED = "BERTScore vanilla", "BERTScore trained"
CAPTION = 0.01  # the caption's limit for SAS; the text's, which the file follows, is .25
# The paper's Figure 5 came before the models trained on names.
METRICS = tuple(name for name in RECORDED if not name.endswith("-names"))


class Whose(str, Enum):
    """Whose scores are drawn."""

    recorded = "recorded"
    computed = "computed"


class LowScore(NamedTuple):
    """A pair that people call the same and SAS scores low, with what the paper's authors say is the reason."""

    category: str
    sas: float


app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def main(
    only: str = typer.Option("", help="Which figures, with commas: 2, 3, 5, 6, 7, costs; all when not given."),
    scores: Whose = typer.Option(Whose.recorded, help="The paper's own scores or those of our metrics (3, 5, 6, 7)."),
    output: Path = typer.Option(Path("runs/figures"), help="The folder to write into; it is made where it lacks."),
) -> None:
    """The paper's figures again, each as PNG and SVG."""
    with user_errors():
        chosen = [name.strip() for name in only.split(",") if name.strip()] or list(FIGURES)
        for name in chosen:
            if name not in FIGURES:
                raise unknown("figure", name, FIGURES)
        output.mkdir(parents=True, exist_ok=True)
        for name in chosen:
            suffix = "" if scores is Whose.recorded or name in ("2", "costs") else f"-{scores.value}"
            stem = output / (f"figure-{name}{suffix}" if name.isdigit() else name)
            for path in figures.save(FIGURES[name](scores), stem):
                typer.echo(f"written: {path}")


def figure_2(_: Whose) -> Figure:
    """Why SAS scores pairs low that people call the same: how many of each category."""
    counts = category_counts(low_scores())
    bars = [figures.Bar(name, n, part) for name, (n, part) in counts.items()]
    below = f"SAS < {CAPTION:g} (the caption's limit)"
    return figures.bars(
        bars, label="pairs of NQ-open with label 2 and SAS < 0.25", part=below, whole="SAS from there to 0.25"
    )


def figure_3(scores: Whose) -> Figure:
    """Correlation by layer, of the recorded models or of the embedded encoder, on SQuAD."""
    return figures.layer_curves(recorded_layers() if scores is Whose.recorded else computed_layers())


def figure_5(scores: Whose) -> Figure:
    """All scores of all sets."""
    return figures.score_spread({TITLES[name]: columns(name, scores)[1] for name in PAPER_SETS})


def figure_6(scores: Whose) -> Figure:
    """Scores by label on GermanQuAD."""
    data, by_metric = columns("germanquad", scores)
    return figures.scores_by_label(by_metric, data.labels)


def figure_7(scores: Whose) -> Figure:
    """SAS and BERTScore trained on NQ-open, F1 = 0."""
    data, by_metric = columns("nq-open", scores)
    zero = subsets(data)[ZERO]
    drawn = {"SAS": by_metric["sas"][zero], TRAINED: by_metric["bertscore-trained"][zero]}
    return figures.histograms(drawn, label=f"score, {zero.sum():,} pairs of NQ-open with F1 = 0")


def figure_costs(_: Whose) -> Figure:
    """Measured costs of our metrics beside those that appendix E tells of the paper's."""
    ranges = [figures.Ends(cost.metric, cost.seconds, cost.least, cost.most) for cost in costs.read()]
    return figures.log_ranges(
        ranges,
        label="seconds of processor time a thousand pairs of NQ-open",
        names=("measured here, one thread", "the paper's models on its machine"),
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
    """The 154 annotated pairs of NQ-open with label 2 and a SAS score below .25, in the order of the file.

    The caption of Figure 2 says "SAS score < 0.01", the text of section 5 "below 0.25"; the file holds what the text
    says: its scores lie between .009 and .240, 62 of them below .01.
    """
    path = locate("nq-open", ANNOTATED)
    rows = read_csv(path, ["Explanation", "sas"], encoding="mac_roman")
    sas = numbers(path, rows, "sas")
    return [LowScore(row["Explanation"].strip(), float(score)) for row, score in zip(rows, sas, strict=True)]


def category_counts(pairs: list[LowScore]) -> dict[str, tuple[int, int]]:
    """By category, most first: how many pairs, and how many of them below the caption's limit."""
    every = Counter(pair.category for pair in pairs)
    low = Counter(pair.category for pair in pairs if pair.sas < CAPTION)
    return {name: (n, low[name]) for name, n in sorted(every.items(), key=lambda item: (-item[1], item[0]))}


def recorded_layers(resamples: int = 1000) -> dict[str, list[Point]]:
    """The curves of the paper's Figure 3, from the scores of layers 0 to 12 that it recorded for the 942 rows."""
    path = locate("squad", LAYERS)
    endings = {VANILLA: "bert_score", TRAINED: "bert_score_prime"}
    columns = {f"{layer}_{ending}" for ending in endings.values() for layer in range(DEPTH + 1)}
    data = read_pairs(path, gold="answer1", pred="answer2", recorded={name: name for name in ["f1", *columns]})
    return {
        name: curves(
            {layer: data.recorded[f"{layer}_{ending}"] for layer in range(DEPTH + 1)},
            data.labels,
            parts(data),
            resamples=resamples,
        )
        for name, ending in endings.items()
    }


def computed_layers(resamples: int = 1000) -> dict[str, list[Point]]:
    """The same of the encoders behind our metrics: one pass each over the texts of SQuAD."""
    data = load("squad", cleaning="recorded")
    points = {}
    for title, name in (("bertscore-trained", "bertscore-trained"), ("bertscore-names", "bertscore-names")):
        scored = score_layers(catalog.metric(name), data.pairs)  # type: ignore[arg-type] # these names are BERTScores
        points[title] = curves(scored, data.labels, parts(data), resamples=resamples)
    return points


def parts(data: LabeledPairs) -> dict[str, Mask]:
    """The rows of the figure: no lexical overlap, some, and both."""
    return {**paper_subsets(data), ALL: np.ones(len(data), dtype=bool)}


def columns(name: str, scores: Whose) -> tuple[LabeledPairs, dict[str, FloatArray]]:
    """The rows of this set and, by metric, the scores that are drawn."""
    wanted = [metric for metric in METRICS if (name, metric) not in OMITTED]
    data, scored = scores_of(name, wanted, Scores(scores.value), "embedded")
    return data, {column.metric: column.values for column in scored}


if __name__ == "__main__":
    app(prog_name="python -m benchmarks.figures")
