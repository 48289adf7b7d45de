"""``answersim layers``: which layer of an encoder agrees best with the labels of a table, with its uncertainty."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from answersim.commands import options
from answersim.commands.correlate import RATERS
from answersim.commands.printing import check_output, is_document, print_parts, write
from answersim.io import files
from answersim.runtime.option_groups import Use, command


@command
def layers(
    paths: Annotated[list[Path], "A table with labels, or one per system."],
    reading: Annotated[options.Reading, options.systems("group question")],
    scoring: Annotated[
        options.Scoring,
        Use(
            "metric lang profile option device precision batch_tokens progress",
            metric="Here, a BERTScore, which selects the encoder. Default: bertscore-trained.",
            option="Another encoder is model=NAME.",
        ),
    ],
    labels: Annotated[
        options.Labels,
        Use("label", several="label", defaults={"label": ("label",)}, label=f"{RATERS} {options.OF_SYSTEMS}"),
    ],
    intervals: options.Intervals,
    result: Annotated[options.Result, Use("output", output=options.written("the scores of all layers"))],
    subset: Annotated[str, "The pairs that determine the layer: all, F1=0 (no shared word) or F1!=0."] = "all",
    coefficient: Annotated[str, "The coefficient that determines the layer: kendall, spearman or pearson."] = "kendall",
    figure: Annotated[Path | None, "Draw the curves: FIGURE.svg, .png and .pdf."] = None,
) -> None:
    """Compare all layers of an encoder on your labels. One pass of the network scores them, and one is recommended."""
    from answersim.agreement.judgments import judgments
    from answersim.agreement.layers import layers as study

    output, name = result.output, str(scoring.one("bertscore-trained"))
    if "layer" in scoring.options_of([name])[name]:
        raise ValueError("--option layer=... chooses one layer, but this command compares all; leave it out")
    drawings = [] if figure is None else [figure.with_suffix(suffix) for suffix in (".svg", ".png", ".pdf")]
    judged = judgments(reading.read(paths, output, *drawings), label=labels.label, scores=(), lang=str(scoring.lang))
    table = _table(judged, reading.gold, reading.one_pred)
    check_output(result)
    if output and not is_document(output):
        files.check_writable(output, table)
    built: Any = scoring.built(name)[name]
    found = study(
        judged, built, subset=subset, coefficient=coefficient, bootstrap=intervals.settings, progress=scoring.progress
    )
    columns = {f"layer-{layer}": scores.values.tolist() for layer, scores in found.scores.items()}
    write(found, output, rows=lambda: table.extended(columns).rows)
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
