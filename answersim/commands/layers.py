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
    written,
)
from answersim.commands.printing import check_output, documents, is_document, print_parts, write_output
from answersim.io import files


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
    result: Annotated[ResultOptions, Use(only=("output",), notes={"output": written("the scores of all layers")})],
    run: Annotated[RunOptions, Use(without=("cache",))],
    subset: Annotated[
        str, typer.Option(help="The pairs that determine the layer: all, F1=0 (no shared word) or F1!=0.")
    ] = "all",
    coefficient: Annotated[
        str, typer.Option(help="The coefficient that determines the layer: kendall, spearman or pearson.")
    ] = "kendall",
    figure: Annotated[Path | None, typer.Option(help="Draw the curves: FIGURE.svg, .png and .pdf.")] = None,
) -> None:
    """Compare all layers of an encoder on your labels. One pass of the network scores them, and one is recommended."""
    from answersim.agreement.judgments import judgments
    from answersim.agreement.layers import layers as study

    output, name = result.output, str(metric.one("bertscore-trained"))
    options = options_of([name], metric, run)[name]
    if "layer" in options:
        raise ValueError("--option layer=... chooses one layer, but this command compares all; leave it out")
    drawings = [] if figure is None else [figure.with_suffix(suffix) for suffix in (".svg", ".png", ".pdf")]
    answers = reading.answers(reading.received(paths, output, *drawings))
    judged = judgments(answers, label=labels.label, scores=(), lang=str(metric.lang))
    table = _table(judged, reading.gold, reading.one_pred)
    check_output(output)
    if output and not is_document(output):
        files.check_writable(output, table)
    built: Any = lookup.metric(name, **metric.place, **options)
    found = study(
        judged,
        built,
        subset=subset,
        coefficient=coefficient,
        bootstrap=bootstrap.settings,
        progress=run.progress,
    )
    if output:
        columns = {f"layer-{layer}": scores.values.tolist() for layer, scores in found.scores.items()}
        write_output(output, documents(found), lambda: table.extended(columns).rows)
    if figure:
        from answersim.report import drawing, figures

        for file in drawing.save(figures.layer_curves({found.encoder: found.points}), figure.with_suffix("")):
            typer.echo(f"written: {file}")
    print_parts([*found.tables(), *found.summary(), *found.footer()])


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
