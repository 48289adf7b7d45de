"""``answersim report``: an evaluation of systems, or a study of metrics, as one HTML page that needs no network."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from answersim.commands import options
from answersim.errors import unknown
from answersim.io import output_files
from answersim.runtime.option_groups import Use, command, flag_of, is_given, listed, refuse_given
from answersim.types import Metric

_ONLY_ANSWERS = (
    "id", "references", "calibration", "low", "high", "threshold", "group", "split_gold", "skip_bad",
)  # fmt: skip
_ONLY_STUDY = ("score", "label_from", "resamples", "seed")
_NOT_SHOWN = {  # they do not decide the page, or they are places of this machine
    "paths", "output", "device", "batch_tokens", "cache", "progress", "base_url", "record", "encoding", "delimiter",
}  # fmt: skip


@command
def report(
    context: typer.Context,
    paths: Annotated[list[Path], "A table, or one table per system, joined by id. - is standard input."],
    reading: Annotated[options.Reading, options.SYSTEMS],
    scoring: Annotated[options.Scoring, Use(metric="The first one gives the verdicts. In a study, none.")],
    labels: Annotated[
        options.Labels,
        Use(
            without="labels",
            several="label score",
            label="Several columns mean several raters in a study, and several systems in a report of answers.",
            label_from="In a study. Default: the highest label.",
            score="It is studied too. Several are separated by commas. Default: all further columns of numbers.",
        ),
    ],
    verdict: options.Verdict,
    intervals: Annotated[options.Intervals, Use("resamples seed", resamples="In a study.")],
    result: Annotated[
        options.Result,
        Use("by output", defaults={"output": Path("report.html")}, by="Also by lang.", output="The HTML page."),
    ],
    kind: Annotated[
        str | None,
        "answers: how many are right, by verdicts. study: metrics against labels. Default: study if one file "
        "has labels.",
    ] = None,
    title: Annotated[str | None, "The heading. Default: the name of the file."] = None,
    figures: Annotated[
        Path | None, "A folder for the figures as SVG, PNG and PDF. By default, they are only in the page."
    ] = None,
) -> None:
    """Write an HTML page about systems, or about metrics.

    It shows how many answers of each system are right, or how far metrics agree with labels.
    """
    from answersim.report.rendering import PageSettings, check_page, ready
    from answersim.report.writing import KINDS, report_kind, write_report

    if kind is not None and kind not in KINDS:
        raise unknown("kind of report", kind, KINDS)
    output = Path(str(result.output))
    check_page(output, figures)
    ready()
    answers = reading.read(paths)
    output_files.refuse_overwriting_input(answers.files, output)
    chosen = kind or report_kind(answers, labels.label)
    unused = _ONLY_STUDY if chosen == "answers" else _ONLY_ANSWERS
    refuse_given(context, unused, f"it has no effect on a report of the kind {chosen!r}; leave it out")
    metrics = _metrics(scoring, None if chosen == "study" else verdict)
    line = write_report(
        answers,
        output,
        metrics,
        kind=chosen,
        by=result.by,
        label=labels.label,
        score=labels.score,
        positive_from=labels.label_from,
        calibration=verdict.settings,
        lang=scoring.lang or "en",
        bootstrap=intervals.settings,
        settings=PageSettings(title=title, command=_command(context, paths, output), figures=figures),
        cache=scoring.cache,
        progress=scoring.progress,
    )
    typer.echo(line)


def _metrics(scoring: options.Scoring, verdict: options.Verdict | None) -> dict[str, Metric]:
    """Return the metrics by name; for answers, that of the calibration if none is given."""
    from answersim.doctor.subject import as_subject

    if verdict is not None:
        return scoring.built(*(scoring.metric or (scoring.name_for(verdict),)))
    return scoring.subjects(scoring.metric, as_subject)


def _command(context: typer.Context, paths: Sequence[Path], output: Path) -> str:
    """Return the command line for the same page, without places of this machine and options that have their default."""
    words = ["answersim", "report", *map(str, paths)]
    for parameter in context.command.params:
        name, value = str(parameter.name), context.params.get(str(parameter.name))
        if name in _NOT_SHOWN or not is_given(context, name) or value == parameter.default:
            continue
        flag = flag_of(context, name)
        if value is True:
            words.append(flag)
        elif isinstance(value, (list, tuple)):
            values = value if name == "option" else [",".join(listed(value))]
            words += [word for item in values for word in (flag, item)]
        else:
            words += [flag, str(value)]
    return shlex.join([*words, "--output", str(output)])
