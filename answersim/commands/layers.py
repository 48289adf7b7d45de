"""``answersim layers``: which layer of an encoder agrees best with the labels of a table, with its uncertainty."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from answersim.catalog import lookup
from answersim.commands.shared import (
    BatchTokens,
    Delimiter,
    Device,
    Encoding,
    Language,
    MetricOptions,
    Precision,
    Profile,
    listed,
    network_options,
    print_table,
    setting,
)
from answersim.io import files
from answersim.io.detection import read_options
from answersim.runtime.cli_errors import user_errors

SUBSETS = ("all", "F1=0", "F1!=0")


def layers(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A table with labels.")],
    label: Annotated[
        list[str] | None,
        typer.Option(
            help="The column of labels. For several raters, separate columns with commas or repeat the option."
        ),
    ] = None,
    gold: Annotated[str, typer.Option(help="The column of gold answers.")] = "gold",
    pred: Annotated[str, typer.Option(help="The column of predictions.")] = "pred",
    metric: Annotated[
        str, typer.Option("--metric", "-m", help="A BERTScore metric, which selects the encoder.")
    ] = "bertscore-trained",
    model: Annotated[str | None, typer.Option(help="Another encoder: a name or a folder.")] = None,
    subset: Annotated[
        str, typer.Option(help="The pairs that determine the layer: all, F1=0 (no shared word) or F1!=0.")
    ] = "all",
    coefficient: Annotated[
        str, typer.Option(help="The coefficient that determines the layer: kendall, spearman or pearson.")
    ] = "kendall",
    lang: Language = "en",
    profile: Profile = None,
    option: MetricOptions = None,
    level: Annotated[float, typer.Option(help="Coverage of the intervals.")] = 0.95,
    resamples: Annotated[
        int, typer.Option(min=1, help="The number of resamples for the intervals and the choice.")
    ] = 1000,
    seed: Annotated[int, typer.Option(help="The random seed of the resamples.")] = 0,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write the scores of all layers here.")] = None,
    figure: Annotated[Path | None, typer.Option(help="Draw the curves: FIGURE.png and FIGURE.svg.")] = None,
    device: Device = None,
    precision: Precision = None,
    batch_tokens: BatchTokens = None,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    progress: Annotated[bool, typer.Option(help="Show progress bars on a terminal.")] = True,
) -> None:
    """Compare all layers of an encoder on your labels. One pass of the network scores them, and one is recommended."""
    with user_errors(), read_options(encoding, delimiter):
        path = files.buffer_stdin(path)
        from answersim.agreement.judgments import judgments
        from answersim.agreement.layers import curves, recommend, score_layers
        from answersim.agreement.subsets import subsets
        from answersim.errors import unknown
        from answersim.runtime.progress import progress as shown
        from answersim.stats.resampling import COEFFICIENTS, generator

        if subset not in SUBSETS:
            raise unknown("subset", subset, SUBSETS)
        if coefficient not in COEFFICIENTS:
            raise unknown("coefficient", coefficient, COEFFICIENTS)
        if not 0 < level < 1:
            raise ValueError(f"--level is {level}, but the coverage of an interval is between 0 and 1")
        drawn = [] if figure is None else [figure.with_suffix(suffix) for suffix in (".png", ".svg")]
        for file in (output, *drawn):
            files.refuse_overwriting_input(path, file)
        raters = listed(label) or ["label"]
        judged = judgments(
            path, label=raters if len(raters) > 1 else raters[0], gold=gold, pred=pred, scores=(), lang=lang
        )
        told_by = "label" if "label" not in (gold, pred) else "human label"
        table = files.Table((gold, pred, told_by), [
            {gold: pair.gold, pred: pair.pred, told_by: float(human_label)}
            for pair, human_label in zip(judged.pairs, judged.labels, strict=True)
        ])  # fmt: skip
        if output:  # an output that cannot be written is reported before any work
            files.check_writable(output, table)
        settings = dict(setting(item) for item in option or [])
        settings |= network_options([metric], settings, device, precision, batch_tokens)[metric]
        built = _bertscore(metric, model, lang, profile, settings)
        parts = {name: mask for name, mask in subsets(judged).items() if name in SUBSETS and mask.sum() > 1}
        if subset not in parts:
            raise ValueError(f"{path} has fewer than two pairs with {subset}; choose another subset")
        with shown(progress):
            scored = score_layers(built, judged.pairs)
        mask = parts[subset]
        choice = recommend(
            {layer: scores.values[mask] for layer, scores in scored.items()},
            judged.labels[mask],
            rng=generator(seed, "layers", subset),
            coefficient=coefficient,
            level=level,
            resamples=resamples,
        )
        points = curves(scored, judged.labels, parts, level=level, resamples=resamples, rng=seed)
        if output:
            files.write(
                table.extended({f"layer-{layer}": scores.values.tolist() for layer, scores in scored.items()}), output
            )
        if figure:
            from answersim.report import drawing, figures

            for file in drawing.save(figures.layer_curves({built.encoder.fingerprint: points}), figure):
                typer.echo(f"written: {file}")
        _print(choice, points, parts, subset, level, resamples, seed)
        typer.echo(f"signature: {scored[choice.layer].signature}")


def _bertscore(name: str, model: str | None, lang: str, profile: str | None, settings: dict[str, Any]) -> Any:
    from answersim.neural.bertscore import BertScore

    if "layer" in settings:
        raise ValueError("--option layer=... chooses one layer, but this command compares all; leave it out")
    if model is not None and "model" in settings:
        raise ValueError("model is given by --option and by --model; give it once")
    if model is not None:
        settings["model"] = model
    built = lookup.metric(name, lang=lang, profile=profile, **settings)
    if not isinstance(built, BertScore):
        raise ValueError(f"--metric is {name!r}, which compares no layers; give a BERTScore, such as bertscore-trained")
    return built


def _print(choice: Any, points: Any, parts: Any, subset: str, level: float, resamples: int, seed: int) -> None:
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
        typer.echo(f"sure: all other layers are worse (Holm, level {1 - level:.2g}); "
                   f"{100 * choice.chosen[choice.layer]:.0f} % of resamples choose it")  # fmt: skip
    typer.echo(f"{100 * level:g} % percentile bootstrap, {resamples:,} resamples of the pairs, seed {seed}")
