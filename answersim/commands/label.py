"""``answersim label``: draw rows and label them; or plan how many labels, or questions, are needed."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer

from answersim.arguments import number_or_text
from answersim.commands import options
from answersim.commands.printing import check_output, show
from answersim.runtime.option_groups import OptionGroup, Use, command, is_given, listed, option, refuse_given


@dataclass(frozen=True)
class Sample(OptionGroup):
    """Which rows are drawn."""

    heading: ClassVar[str] = "Sample"

    sheet: Path | None = option(None, "The sheet with the rows to label. Default: FILE.labels.csv.")
    ask: bool = option(False, "Label on this terminal. A later call resumes.")
    rows_of: Path | None = option(
        None, "Label the same questions as this sheet of another system, for 'compare'.", is_first=False
    )
    allocation: str = option(
        "proportional",
        "proportional: the same share of each stratum; equal: as many rows of each, the default with --verifier.",
        is_first=False,
    )
    strata: int = option(5, "The number of strata, by score.", is_first=False)


@dataclass(frozen=True)
class Plan(OptionGroup):
    """How many labels or questions are needed."""

    heading: ClassVar[str] = "Plan"

    plan: bool = option(
        False, "Compute how many labels an interval needs, from FILE with some --labels, or from --share."
    )
    width: str = option("0.2,0.1,0.06,0.04", "Full widths of the interval, separated by commas.", is_first=False)
    share: float = option(0.8, "The share of correct answers that you expect.", is_first=False)
    explained: float = option(
        0.5,
        "The share of the variance of the labels that the score explains. For recall, 0.5 is typical.",
        is_first=False,
    )
    scored: int | None = option(None, "The size of the table: how many rows have a score.", is_first=False)
    drop: float | None = option(
        None, "Plan a comparison: the difference between two systems that is to be detected.", is_first=False
    )
    differing: float = option(
        0.15, "With --drop: the share of questions that only one of the two systems answers correctly.", is_first=False
    )
    power: float = option(0.8, "With --drop: the probability of detecting the difference.", is_first=False)


_OF_FILE = ("score", "labels", "metric", "verifier")
_OF_SAMPLE = ("rows", "seed", *(item.name for item in fields(Sample)))
_OF_PLAN = ("labels", "level", "format", "output", *(item.name for item in fields(Plan) if item.name != "plan"))


@command
def label(
    context: typer.Context,
    reading: Annotated[options.Reading, Use(without="references group", id="The sheet shows it to the annotator.")],
    scoring: options.Scoring,
    labels: Annotated[
        options.Labels,
        Use("labels score", later="labels", labels="With --plan.", score="It replaces a metric."),
    ],
    verdict: Annotated[options.Verdict, Use("calibration threshold", threshold="For --verifier.")],
    intervals: Annotated[options.Intervals, Use("level seed")],
    result: Annotated[
        options.Result,
        Use(
            "rows format output",
            later="format output",
            defaults={"rows": 100},
            rows="Rows to label.",
            output=f"With --plan. {options.written('a row per precision')}",
        ),
    ],
    sample: Sample,
    plan: Plan,
    path: Annotated[Path | None, typer.Argument(metavar="FILE", help="A table of answers.")] = None,
    verifier: options.Verifier = None,
) -> None:
    """Draw rows to label by hand, or plan how many.

    The rows are shuffled and show neither scores nor verdicts. Label them here with --ask, or in a spreadsheet. The
    sheet is then for --labels of 'evaluate' and other commands.
    """
    if labels.score:
        unread = ("metric", "verifier", "option", "extract", "extract_gold")
        refuse_given(context, unread, "--score names a column of given scores; leave one of them out")
    if plan.plan:
        refuse_given(context, _OF_SAMPLE, "--plan draws no rows; leave one of them out")
        _plan(context, path, reading, scoring, labels, verdict, intervals, result, plan, verifier)
        return
    refuse_given(context, _OF_PLAN, "it is for --plan; leave it out, or give --plan")
    if path is None:
        raise ValueError("FILE is missing; give a table of answers, or --plan")
    _draw(context, path, reading, scoring, labels, verdict, intervals, result, sample, verifier)


def _draw(
    context: typer.Context,
    path: Path,
    reading: options.Reading,
    scoring: options.Scoring,
    labels: options.Labels,
    verdict: options.Verdict,
    intervals: options.Intervals,
    result: options.Result,
    sample: Sample,
    verifier: str | None,
) -> None:
    """Draw the rows, or continue with the sheet, and print how to go on."""
    from answersim.evaluation.asking import ask_on_terminal
    from answersim.evaluation.labeling import label as draw

    target = sample.sheet or path.with_suffix(".labels.csv")
    how: dict[str, Any] = {}
    if sample.rows_of is None:
        how = _scored(scoring, labels, verdict, verifier)
    drawing: dict[str, Any] = {"rows": result.rows, "allocation": sample.allocation, "strata": sample.strata}
    given = {name: value for name, value in drawing.items() if is_given(context, name)}
    given |= {"rng": intervals.seed} if is_given(context, "seed") else {}
    with redirect_stdout(sys.stderr):  # some verifiers print
        drawn = draw(reading.answers(path), target, **how, **given, like=sample.rows_of)
    if sample.ask:
        drawn = ask_on_terminal(drawn)
    typer.echo(drawn)
    if drawn.n_open:
        typer.echo("to continue: fill in the column 'label' (1: correct, 0: not), or label here with --ask")
    if drawn.n_open < len(drawn.rows):
        typer.echo(f"to estimate the share of correct answers: answersim evaluate {path} --labels {target}")


def _scored(
    scoring: options.Scoring, labels: options.Labels, verdict: options.Verdict, verifier: str | None
) -> dict[str, Any]:
    """Return the arguments that name the scores of a function."""
    if labels.score:
        return {"score": labels.score[0]}
    if verifier is not None:
        from answersim.evaluation.verifiers import resolved

        metric = resolved(scoring.verifier(verifier), verdict.settings).metric
        return {"metric": metric, "cache": scoring.cache, "progress": scoring.progress}
    return scoring.of_one(scoring.name_for(verdict))


def _plan(
    context: typer.Context,
    path: Path | None,
    reading: options.Reading,
    scoring: options.Scoring,
    labels: options.Labels,
    verdict: options.Verdict,
    intervals: options.Intervals,
    result: options.Result,
    settings: Plan,
    verifier: str | None,
) -> None:
    """Print the plan."""
    from answersim.evaluation.sample_size import plan as planned

    check_output(result)
    how: dict[str, Any] = {"bootstrap": intervals.settings}
    if settings.drop is not None:
        unused = ("width", "share", "explained", "scored", *_OF_FILE)
        refuse_given(context, unused, "--drop plans a comparison, which has none; leave one of them out")
        if path is not None:
            raise ValueError(f"{path} is given, but --drop plans a comparison without a file; leave it out")
        how |= {"drop": settings.drop, "differing": settings.differing, "power": settings.power}
    else:
        refuse_given(context, ("differing", "power"), "it is for a comparison; give --drop, or leave it out")
        how["width"] = [number_or_text(text) for text in listed([settings.width])]
        if path is None:
            refuse_given(context, _OF_FILE, "there is no FILE; give one, or leave it out")
            how |= {"share": settings.share, "explained": settings.explained, "rows": settings.scored}
        else:
            refuse_given(context, ("share", "explained", "scored"), "FILE decides it; leave it out")
            scores = _scored(scoring, labels, verdict, verifier)
            data = path if labels.score else reading.answers(path)
            how |= {"data": data, "labels": labels.given or "label", **scores}
    with redirect_stdout(sys.stderr):
        found = planned(**how)
    heading, *more = found.summary()
    show(found, result, [heading, *found.tables(), *more])
