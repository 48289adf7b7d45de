"""``answersim label``: draw rows and label them; or plan how many labels, or questions, are needed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer

from answersim._base.arguments import number_or_text
from answersim._base.errors import unknown
from answersim._base.runtime.option_groups import OptionGroup, Use, command, is_given, listed, refuse_given
from answersim.commands import options
from answersim.commands.printing import check_output, show
from answersim.evaluation.comparison.sample_size import plan as planned
from answersim.evaluation.labels.asking import ask_on_terminal
from answersim.evaluation.labels.labeling import label as draw
from answersim.evaluation.labels.verifiers import resolved


@dataclass(frozen=True)
class Sample(OptionGroup):
    """Which rows are drawn."""

    heading: ClassVar[str] = "Sample"

    sheet: Path | None = options.table_option("sheet", None)
    ask: bool = options.table_option("ask", False)
    rows_of: Path | None = options.table_option("rows_of", None)
    allocation: str = options.table_option("allocation", "proportional")


_OF_FILE = ("score", "labels", "metric", "verifier")
_OF_SAMPLE = ("rows", "seed", *(item.name for item in fields(Sample)))
_OF_PLAN = ("labels", "level", "format", "output")
_SETTINGS = ("share", "explained", "rows", "drop", "differing", "power")  # of a plan, besides its widths


@command
def label(
    context: typer.Context,
    reading: Annotated[options.Reading, Use(without="references group", id="The sheet shows it to the annotator.")],
    scoring: options.Scoring,
    labels: Annotated[
        options.Labels, Use("labels score", later="labels", labels="With --plan.", score="It replaces a metric.")
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
    plan: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WIDTH,...",
            help="Compute how many labels intervals of these widths need: 0.2,0.1. FILE with some --labels decides the "
            "rest; without a FILE, share=0.8 of right answers, explained=0.5 (of the variance of labels, by the score) "
            "and rows=1000 (that have a score) are expected. drop=0.02 plans a comparison: how many questions, with "
            "differing=0.15 and power=0.8.",
        ),
    ] = None,
    path: Annotated[Path | None, typer.Argument(metavar="FILE", help="A table of answers.")] = None,
    verifier: options.Verifier = None,
) -> None:
    """Draw rows to label by hand, or plan how many.

    The rows are shuffled and show neither scores nor verdicts. Label them here with --ask, or in a spreadsheet. The
    sheet is then for --labels of 'evaluate' and other commands.
    """
    if labels.score:
        scoring.refuse_beside_scores(context)
    if plan:
        refuse_given(context, _OF_SAMPLE, "--plan draws no rows; leave one of them out")
        check_output(result)
        settings = _plan_settings(plan) | {"bootstrap": intervals.settings}
        if path is None:
            refuse_given(context, _OF_FILE, "there is no FILE; give one, or leave it out")
        elif "drop" in settings:
            raise ValueError(f"{path} is given, but drop= plans a comparison without a file; leave it out")
        else:
            data: Any = path if labels.score else reading.answers(path)
            scores = _scored(data, scoring, labels, verdict, verifier)
            settings |= {"data": data, "labels": labels.given or "label", **scores}
        with redirect_stdout(sys.stderr):
            label_plan = planned(**settings)
        heading, *more = label_plan.summary()
        show(label_plan, result, [heading, *label_plan.tables(), *more])
        return
    refuse_given(
        context, _OF_PLAN, "it is for --plan; leave it out (--sheet names the file of the rows), or give --plan"
    )
    if path is None:
        raise ValueError("FILE is missing; give a table of answers, or --plan")
    answers = reading.answers(path)
    target = sample.sheet or path.with_suffix(".labels.csv")
    scores = {} if sample.rows_of is not None else _scored(answers, scoring, labels, verdict, verifier)
    drawing: dict[str, Any] = {"rows": result.rows, "allocation": sample.allocation}
    stated = {name: value for name, value in drawing.items() if is_given(context, name)}
    stated |= {"rng": intervals.seed} if is_given(context, "seed") else {}
    with redirect_stdout(sys.stderr):  # some verifiers print
        drawn = draw(answers, target, **scores, **stated, like=sample.rows_of)
    if sample.ask:
        drawn = ask_on_terminal(drawn)
    typer.echo(drawn)
    if drawn.n_open:
        typer.echo("to continue: fill in the column 'label' (1: correct, 0: not), or label here with --ask")
    if drawn.n_open < len(drawn.rows):
        typer.echo(f"to estimate the share of correct answers: answersim evaluate {path} --labels {target}")


def _scored(
    answers: Any, scoring: options.Scoring, labels: options.Labels, verdict: options.Verdict, verifier: str | None
) -> dict[str, Any]:
    """Return the arguments that name the scores of a function."""
    if labels.score:
        return {"score": labels.score[0]}
    scoring = scoring.for_table(answers)
    if verifier is not None:
        metric = resolved(scoring.verifier(verifier), verdict.settings).metric
        return {"metric": metric, "cache": scoring.cache, "progress": scoring.progress}
    return scoring.of_one(scoring.name_for(verdict))


def _plan_settings(texts: Sequence[str]) -> dict[str, Any]:
    """Return the settings of ``plan``: widths, and others by name. Raise LookupError if there is no such setting."""
    settings: dict[str, Any] = {}
    widths = []
    for text in listed(texts):
        name, is_named, value = text.partition("=")
        if not is_named:
            widths.append(number_or_text(text))
        elif name in _SETTINGS:
            settings[name] = number_or_text(value)
        else:
            raise unknown("setting of --plan", name, _SETTINGS)
    return settings | ({"width": widths} if widths else {})
