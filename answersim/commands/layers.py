"""``answersim layers``: which layer of an encoder agrees best with the labels of a table, with its uncertainty."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from answersim.catalog import lookup
from answersim.commands.correlate import RATERS
from answersim.commands.expansion import Use, command
from answersim.commands.options import (
    OF_SYSTEMS,
    SYSTEMS,
    BootstrapOptions,
    LabelOptions,
    MetricOptions,
    ReadingOptions,
    ResultOptions,
    RunOptions,
    options_of,
)
from answersim.commands.printing import print_table
from answersim.io import files

SUBSETS = ("all", "F1=0", "F1!=0")


@command
def layers(
    paths: Annotated[list[Path], typer.Argument(metavar="FILE...", help="A table with labels, or one per system.")],
    reading: Annotated[
        ReadingOptions, Use(without=("group", "question"), several=SYSTEMS.several, notes=SYSTEMS.notes)
    ],
    metric: Annotated[
        MetricOptions,
        Use(
            without=("extract", "extract_gold"),
            notes={
                "metric": "Here, a BERTScore, which selects the encoder. Default: bertscore-trained.",
                "option": "Another encoder is model=NAME.",
            },
        ),
    ],
    labels: Annotated[
        LabelOptions,
        Use(
            only=("label",),
            several=("label",),
            defaults={"label": ("label",)},
            notes={"label": f"{RATERS} {OF_SYSTEMS}"},
        ),
    ],
    bootstrap: BootstrapOptions,
    result: Annotated[ResultOptions, Use(only=("output",), notes={"output": "A table of the scores of all layers."})],
    run: Annotated[RunOptions, Use(without=("cache",))],
    subset: Annotated[
        str, typer.Option(help="The pairs that determine the layer: all, F1=0 (no shared word) or F1!=0.")
    ] = "all",
    coefficient: Annotated[
        str, typer.Option(help="The coefficient that determines the layer: kendall, spearman or pearson.")
    ] = "kendall",
    figure: Annotated[Path | None, typer.Option(help="Draw the curves: FIGURE.png and FIGURE.svg.")] = None,
) -> None:
    """Compare all layers of an encoder on your labels. One pass of the network scores them, and one is recommended."""
    from answersim.agreement.judgments import judgments
    from answersim.agreement.layers import curves, recommend, score_layers
    from answersim.agreement.subsets import subsets
    from answersim.runtime.progress import progress as shown
    from answersim.stats.resampling import generator

    output, name = result.output, metric.one("bertscore-trained")
    _check(subset, coefficient, bootstrap.level)
    drawings = [] if figure is None else [figure.with_suffix(suffix) for suffix in (".png", ".svg")]
    answers = reading.answers(reading.received(paths, output, *drawings))
    judged = judgments(answers, label=labels.label, scores=(), lang=str(metric.lang))
    table = _table(judged, reading.gold, reading.one_pred)
    if output:  # an output that cannot be written is reported before any work
        files.check_writable(output, table)
    built = _bertscore(str(name), metric, run)
    parts = {part: mask for part, mask in subsets(judged).items() if part in SUBSETS and mask.sum() > 1}
    if subset not in parts:
        raise ValueError(f"{answers.path} has fewer than two pairs with {subset}; choose another subset")
    with shown(run.progress):
        scored = score_layers(built, judged.pairs)
    mask = parts[subset]
    drawn: dict[str, Any] = {"level": bootstrap.level, "resamples": bootstrap.resamples}
    choice = recommend(
        {layer: scores.values[mask] for layer, scores in scored.items()},
        judged.labels[mask],
        rng=generator(bootstrap.seed, "layers", subset),
        coefficient=coefficient,
        **drawn,
    )
    points = curves(scored, judged.labels, parts, rng=bootstrap.seed, **drawn)
    if output:
        columns = {f"layer-{layer}": scores.values.tolist() for layer, scores in scored.items()}
        files.write(table.extended(columns), output)
    if figure:
        _draw(figure, built.encoder.fingerprint, points)
    _print(choice, points, parts, subset, bootstrap)
    typer.echo(f"signature: {scored[choice.layer].signature}")


def _draw(figure: Path, fingerprint: str, points: Any) -> None:
    from answersim.report import drawing, figures

    for file in drawing.save(figures.layer_curves({fingerprint: points}), figure):
        typer.echo(f"written: {file}")


def _check(subset: str, coefficient: str, level: float) -> None:
    from answersim.errors import unknown
    from answersim.stats.resampling import COEFFICIENTS

    if subset not in SUBSETS:
        raise unknown("subset", subset, SUBSETS)
    if coefficient not in COEFFICIENTS:
        raise unknown("coefficient", coefficient, COEFFICIENTS)
    if not 0 < level < 1:
        raise ValueError(f"--level is {level}, but the coverage of an interval is between 0 and 1")


def _table(judged: Any, gold: str, pred: str) -> files.Table:
    """Return the pairs and their labels as a table."""
    label = "label" if "label" not in (gold, pred) else "human label"
    return files.Table(
        (gold, pred, label),
        [
            {gold: pair.gold, pred: pair.pred, label: float(human_label)}
            for pair, human_label in zip(judged.pairs, judged.labels, strict=True)
        ],
    )


def _bertscore(name: str, metric: MetricOptions, run: RunOptions) -> Any:
    """Return the BERTScore of the encoder. Raise ValueError if it is another metric, or of one layer."""
    from answersim.neural.bertscore import BertScore

    options = options_of([name], metric, run)[name]
    if "layer" in options:
        raise ValueError("--option layer=... chooses one layer, but this command compares all; leave it out")
    built = lookup.metric(name, **metric.place, **options)
    if not isinstance(built, BertScore):
        raise ValueError(f"--metric is {name!r}, which compares no layers; give a BERTScore, such as bertscore-trained")
    return built


def _print(choice: Any, points: Any, parts: Any, subset: str, bootstrap: BootstrapOptions) -> None:
    """Print the table of layers and the recommendation."""
    by = {(point.layer, point.subset): point for point in points if point.coefficient == choice.coefficient}
    names = [name for name in SUBSETS if name in parts]
    header = ["layer", *(f"{choice.coefficient}, {name} (n={parts[name].sum()})" for name in names), "chosen"]
    lines = []
    for layer, share in choice.chosen.items():
        cells = ["{0.value:.3f} [{0.low:.3f}, {0.high:.3f}]".format(by[layer, name]) for name in names]
        mark = " <-" if layer == choice.layer else ""
        lines.append([str(layer), *cells, f"{100 * share:.1f} %{mark}"])
    print_table(header, lines)
    value, n = choice.value, choice.n
    typer.echo()
    typer.echo(
        f"layer {choice.layer} has the highest {choice.coefficient} on the {n:,} pairs ({subset}): "
        f"{value.value:.3f} [{value.low:.3f}, {value.high:.3f}]; "
        f"expect {choice.unseen:.3f} on pairs that did not choose it"
    )
    if not value.low > 0:
        typer.echo("no layer agrees with the labels here: even the highest interval is not above 0")
    elif choice.rivals:
        typer.echo(
            f"not sure: {100 * choice.chosen[choice.layer]:.0f} % of resamples choose it; layers that are not "
            f"distinguishable from it: {', '.join(map(str, choice.rivals))}"
        )
    else:
        typer.echo(f"sure: all other layers are worse (Holm, level {1 - bootstrap.level:.2g}); "
                   f"{100 * choice.chosen[choice.layer]:.0f} % of resamples choose it")  # fmt: skip
    typer.echo(
        f"{100 * bootstrap.level:g} % percentile bootstrap, {bootstrap.resamples:,} resamples of the pairs, seed "
        f"{bootstrap.seed}"
    )
