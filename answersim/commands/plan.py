"""``answersim plan``: how many labels, or questions, a given precision requires."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from answersim.commands.expansion import Use, command, listed
from answersim.commands.options import BootstrapOptions, LabelOptions, ReadingOptions, refuse_given
from answersim.commands.printing import print_table

WIDTHS = "0.2,0.1,0.06,0.04"
_FILE = "With FILE."


@command
def plan(
    context: typer.Context,
    reading: Annotated[ReadingOptions, Use(only=("encoding", "delimiter"))],
    labels: Annotated[
        LabelOptions,
        Use(only=("label", "score"), defaults={"label": ("label",)}, notes={"label": _FILE, "score": _FILE}),
    ],
    bootstrap: Annotated[BootstrapOptions, Use(only=("level",))],
    path: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="A table with some labels and a score of each row.")
    ] = None,
    width: Annotated[str, typer.Option(help="Full widths of the interval, separated by commas.")] = WIDTHS,
    share: Annotated[float, typer.Option(help="The share of correct answers that you expect.")] = 0.8,
    explained: Annotated[
        float,
        typer.Option(
            help="The share of the variance of the labels that the score explains. For recall, .5 is typical."
        ),
    ] = 0.5,
    scored: Annotated[int | None, typer.Option(help="The size of the table: how many rows have a score.")] = None,
    drop: Annotated[
        float | None, typer.Option(help="Plan a comparison: the difference between two systems that is to be detected.")
    ] = None,
    differing: Annotated[
        float,
        typer.Option(help="With --drop: the share of questions that only one of the two systems answers correctly."),
    ] = 0.15,
    power: Annotated[float, typer.Option(help="With --drop: the probability of detecting the difference.")] = 0.8,
) -> None:
    """Compute how many labels or questions are required.

    The labels are for an interval of a given width. With --drop, the questions are for a comparison of two systems.
    """
    from answersim.evaluation.sample_size import questions_for_difference

    if drop is not None:
        unused = ("width", "share", "explained", "scored", "score", "label")
        refuse_given(context, unused, "--drop plans a comparison, which has none; leave one of them out")
        if path is not None:
            raise ValueError(f"{path} is given, but --drop plans a comparison without a file; leave it out")
        needed = questions_for_difference(drop, differing=differing, level=bootstrap.level, power=power)
        typer.echo(
            f"{needed:,} questions: a true difference of {drop:g} is found in {power:.0%} of all cases, if the "
            f"systems differ on {differing:.0%} of the questions"
        )
        return
    refuse_given(context, ("differing", "power"), "it is for a comparison; give --drop too, or leave it out")
    widths = [_width(text) for text in listed([width])]
    if path is None:
        refuse_given(context, ("score", "label"), "there is no FILE; give one, or leave it out")
    else:
        refuse_given(context, ("share", "explained", "scored"), "FILE decides it; leave it out")
        share, explained, scored = _of_file(path, labels, bootstrap.level)
    _print(widths, share, explained, scored, bootstrap.level)


def _print(widths: Sequence[float], share: float, explained: float, scored: int | None, level: float) -> None:
    """Print the number of labels for each width."""
    from answersim.evaluation.sample_size import labels_for_width

    plans = [labels_for_width(wanted, share=share, explained=explained, rows=scored, level=level) for wanted in widths]
    typer.echo(
        f"labels for a {level:.0%} interval of the share of correct answers, if it is {share:.0%} and the score "
        f"explains {explained:.0%} of the variance of the labels" + ("" if scored is None else f", of {scored:,} rows")
    )
    print_table(
        ("width", "interval such as", "labels with the score", "labels alone"),
        [
            (
                f"{found.width:g}",
                f"[{max(0, share - found.width / 2):.1%}, {min(1, share + found.width / 2):.1%}]",
                _labels(found.labels),
                _labels(found.labels_alone),
            )
            for found in plans
        ],
    )
    if scored is not None and any(found.labels is None for found in plans):
        typer.echo(
            f"not enough rows: with all {scored:,} labeled, the interval is {plans[0].least_width:.3f} wide, because "
            "the rows themselves are a sample; score more rows"
        )


def _labels(n: int | None) -> str:
    return "not enough rows" if n is None else f"{n:,}"


def _width(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(
            f"--width {text!r} is not a number; give numbers between 0 and 1 with commas: {WIDTHS}"
        ) from None


def _of_file(path: Path, options: LabelOptions, level: float) -> tuple[float, float, int]:
    """Return the share, the explained share and the number of rows of a file with some labels."""
    import math

    from answersim.answers.sources import read
    from answersim.evaluation.correction import estimate_mean
    from answersim.evaluation.human_labels import table_labels

    if not options.score:
        raise ValueError(f"{path} is given without --score; name the column of the scores")
    source = read(path, "the table")
    labels, inclusion, strata = table_labels(source, options.label[0])
    scores = source.numbers(options.score[0])
    found = estimate_mean(scores, labels, inclusion=inclusion, strata=strata, level=level)
    if not 0 < found.value < 1 or math.isnan(found.explained):
        raise ValueError(
            f"{path}: the share is estimated as {found.value:g}, from labels of one class; label more rows, or give "
            "--share and --explained instead of a file"
        )
    if inclusion is not None:
        typer.echo("the labels are weighted by the column 'inclusion' of the file")
    return found.value, min(found.explained, 0.999), found.n
