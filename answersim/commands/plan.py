"""``answersim plan``: how many labels, or questions, a given precision requires."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from answersim.arguments import number_or_text
from answersim.commands import options
from answersim.commands.printing import check_output, show
from answersim.runtime.option_groups import Use, command, listed, refuse_given

if TYPE_CHECKING:
    from answersim.evaluation.sample_size import QuestionPlan, SamplePlan

WIDTHS = "0.2,0.1,0.06,0.04"
_FILE = "With FILE."


@command
def plan(
    context: typer.Context,
    reading: Annotated[options.Reading, Use("encoding delimiter")],
    labels: Annotated[options.Labels, Use("label score", defaults={"label": ("label",)}, label=_FILE, score=_FILE)],
    intervals: Annotated[options.Intervals, Use("level")],
    result: Annotated[options.Result, Use("output", output=options.written("a row per precision"))],
    path: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="A table with some labels and a score of each row.")
    ] = None,
    width: Annotated[str, "Full widths of the interval, separated by commas."] = WIDTHS,
    share: Annotated[float, "The share of correct answers that you expect."] = 0.8,
    explained: Annotated[
        float, "The share of the variance of the labels that the score explains. For recall, 0.5 is typical."
    ] = 0.5,
    scored: Annotated[int | None, "The size of the table: how many rows have a score."] = None,
    drop: Annotated[
        float | None, "Plan a comparison: the difference between two systems that is to be detected."
    ] = None,
    differing: Annotated[
        float, "With --drop: the share of questions that only one of the two systems answers correctly."
    ] = 0.15,
    power: Annotated[float, "With --drop: the probability of detecting the difference."] = 0.8,
) -> None:
    """Compute how many labels or questions are required.

    The labels are for an interval of a given width. With --drop, the questions are for a comparison of two systems.
    """
    from answersim.evaluation.sample_size import plan as planned

    bootstrap = intervals.settings
    check_output(result)
    if drop is not None:
        unused = ("width", "share", "explained", "scored", "score", "label")
        refuse_given(context, unused, "--drop plans a comparison, which has none; leave one of them out")
        if path is not None:
            raise ValueError(f"{path} is given, but --drop plans a comparison without a file; leave it out")
        found: SamplePlan | QuestionPlan = planned(drop=drop, differing=differing, power=power, bootstrap=bootstrap)
    else:
        refuse_given(context, ("differing", "power"), "it is for a comparison; give --drop, or leave it out")
    widths: list[Any] = [number_or_text(text) for text in listed([width])]
    if drop is None and path is None:
        refuse_given(context, ("score", "label"), "there is no FILE; give one, or leave it out")
        found = planned(width=widths, share=share, explained=explained, rows=scored, bootstrap=bootstrap)
    elif drop is None:
        refuse_given(context, ("share", "explained", "scored"), "FILE decides it; leave it out")
        if not labels.score:
            raise ValueError(f"{path} is given without --score; name the column of the scores")
        found = planned(path, width=widths, score=labels.score[0], label=labels.label[0], bootstrap=bootstrap)
    heading, *more = found.summary()
    show(found, result, [*found.footer(), heading, *found.tables(), *more])
