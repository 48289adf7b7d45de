"""``answersim report``: an evaluation of systems, or a study of metrics, as one HTML page that needs no network."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from answersim.calibration.verdicts import ANSWER_VERDICTS
from answersim.commands.correlate import build_metrics
from answersim.commands.expansion import Use, command, listed
from answersim.commands.options import (
    SYSTEMS,
    BootstrapOptions,
    JudgeOptions,
    LabelOptions,
    MetricOptions,
    ReadingOptions,
    ResultOptions,
    RunOptions,
    VerdictOptions,
    flag_of,
    is_given,
    options_of,
    refuse_given,
)
from answersim.errors import unknown
from answersim.io import files

KINDS = ("answers", "study")
LABEL = "label"
_ONLY_ANSWERS = (
    "id", "references", "calibration", "unsure", "min_precision", "threshold", "group", "split_gold", "skip_bad",
)  # fmt: skip
_ONLY_STUDY = ("score", "label_from", "resamples", "seed")
_NOT_SHOWN = {  # they do not decide the page, or they are places of this machine
    "paths", "output", "device", "batch_tokens", "cache", "progress", "base_url", "record", "encoding", "delimiter",
}  # fmt: skip


class _Request(NamedTuple):
    """What is asked for on the command line, and the files as they are read."""

    paths: list[Path]
    reading: ReadingOptions
    metric: MetricOptions
    labels: LabelOptions
    verdict: VerdictOptions
    bootstrap: BootstrapOptions
    result: ResultOptions
    judge: JudgeOptions
    run: RunOptions

    @property
    def data(self) -> Any:
        """One file, or a list of files."""
        return self.paths if len(self.paths) > 1 else self.paths[0]


@command
def report(
    context: typer.Context,
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="A table, or one table per system, joined by id. - is standard input."),
    ],
    reading: Annotated[ReadingOptions, SYSTEMS],
    metric: Annotated[MetricOptions, Use(notes={"metric": "The first one gives the verdicts. In a study, none."})],
    labels: Annotated[
        LabelOptions,
        Use(
            without=("labels",),
            several=("label", "score"),
            notes={
                "label": "Several columns mean several raters in a study, and several systems in a report of answers.",
                "label_from": "In a study. Default: the highest label.",
                "score": "It is studied too. Several are separated by commas. Default: all further columns of numbers.",
            },
        ),
    ],
    verdict: VerdictOptions,
    bootstrap: Annotated[BootstrapOptions, Use(only=("resamples", "seed"), notes={"resamples": "In a study."})],
    result: Annotated[
        ResultOptions,
        Use(
            only=("by", "output"),
            defaults={"output": Path("report.html")},
            notes={"by": "Also by lang.", "output": "The HTML page."},
        ),
    ],
    judge: JudgeOptions,
    run: RunOptions,
    kind: Annotated[
        str | None,
        typer.Option(
            help="answers: how many are right, by verdicts. study: metrics against labels. Default: study if one file "
            "has labels."
        ),
    ] = None,
    title: Annotated[str | None, typer.Option(help="The heading. Default: the name of the file.")] = None,
    figures: Annotated[
        Path | None,
        typer.Option(help="A folder for the figures as SVG, PNG and PDF. By default, they are only in the page."),
    ] = None,
) -> None:
    """Write an HTML page about systems, or about metrics.

    It shows how many answers of each system are right, or how far metrics agree with labels.
    """
    from answersim.report.rendering import check_page, ready, write_page

    if kind is not None and kind not in KINDS:
        raise unknown("kind of report", kind, KINDS)
    output = Path(str(result.output))
    data = reading.received(paths)
    read = data if isinstance(data, list) else [data]
    for path in read:
        if reading.log is None:
            files.check_readable(path)
    check_page(output, figures)
    files.refuse_overwriting_input([*read, reading.references], output)
    ready()
    chosen = kind or _kind(read, reading, labels.label)
    unused = _ONLY_STUDY if chosen == "answers" else _ONLY_ANSWERS
    refuse_given(context, unused, f"it has no effect on a report of the kind {chosen!r}; leave it out")
    request = _Request(read, reading, metric, labels, verdict, bootstrap, result, judge, run)
    page = {
        "title": title,
        "command": _command(context, paths, output),
        "metadata": _metadata(read),
        "folder": figures,
        "base": output.resolve().parent,
    }
    html, what = _answers(request, page) if chosen == "answers" else _study(request, page)
    typer.echo(write_page(html, output, what))


def _kind(paths: Sequence[Path], reading: ReadingOptions, labels: Sequence[str]) -> str:
    """Return the kind of report that fits the input."""
    from answersim.report.gathering import has_labels

    if len(paths) > 1 or len(reading.pred) > 1:
        return "answers"
    return "study" if labels or has_labels(paths[0], LABEL, reading.log) else "answers"


def _study(request: _Request, page: dict[str, Any]) -> tuple[str, str]:
    """Return the page of the study of metrics against labels, and how many pairs it shows."""
    from answersim.agreement.judgments import judgments
    from answersim.agreement.study import correlate
    from answersim.report.page import page as study_page

    reading, bootstrap = request.reading, request.bootstrap
    metrics, subsets, raters = request.metric.metric, request.result.by, request.labels.label or (LABEL,)
    judged = judgments(
        reading.answers(request.data),
        label=raters if len(raters) > 1 else raters[0],
        columns=[name for name in subsets if name not in ("length", "question", "lang")],
        scores=request.labels.score or None,
        metric=build_metrics(request.metric, request.judge),
        cache=request.run.store(metrics),
        progress=request.run.progress,
        **request.metric.place,
        **request.run.networks,
    )
    agreement = correlate(
        judged,
        by=subsets,
        resamples=bootstrap.resamples,
        rng=bootstrap.seed,
        tests=("bootstrap",),
        compare=("tau-b",),
    )
    return study_page(judged, agreement, cut=request.labels.label_from, **page), f"{len(judged):,} pairs"


def _answers(request: _Request, page: dict[str, Any]) -> tuple[str, str]:
    """Return the page of the answers of systems, with labels or without, and how many answers there are."""
    from answersim.evaluation.systems import evaluate
    from answersim.report import gathering
    from answersim.report.systems import systems_page
    from answersim.scoring.score import default_for

    reading, run = request.reading, request.run
    names: tuple[str | None, ...] = request.metric.metric or (None,)
    named = [name or default_for(request.verdict.calibration) for name in names]
    by_name = options_of(named, request.metric, run, request.judge)
    options = [by_name[name] for name in named]
    how = request.metric.place | {"progress": run.progress, "cache": run.store(named)}
    source = reading.answers(request.data)
    evaluation = evaluate(
        source,
        names[0],
        by=request.result.by,
        only=ANSWER_VERDICTS,
        **request.verdict.rule,
        **how,
        **options[0],
    )
    if evaluation.answers:
        answers, further = gathering.answers_of(evaluation), slice(1, None)
    else:  # without a calibration, an evaluation lists no answers
        answers, further = gathering.answers_read(source), slice(None)
    answers = gathering.with_metrics(answers, named[further], options=options[further], **how)
    labels = request.labels.label or _default_labels(request.paths, reading)
    if labels:
        answers = gathering.with_labels(answers, request.paths, labels, reading.id, reading.log)
    n = len(answers.ids) * len(answers.preds)
    return systems_page(evaluation, answers, **page), f"{n:,} answers"


def _default_labels(paths: Sequence[Path], reading: ReadingOptions) -> list[str]:
    """Return the default column of labels if every system has labels in it."""
    from answersim.report.gathering import has_labels

    if len(reading.pred) > 1:
        return []
    labeled = [has_labels(path, LABEL, reading.log) for path in paths]
    if any(labeled) and not all(labeled):
        lacking = paths[labeled.index(False)]
        typer.echo(f"note: labels are not used, because {lacking} has none in a column {LABEL!r}", err=True)
    return [LABEL] if all(labeled) else []


def _metadata(paths: Sequence[Path]) -> dict[str, str]:
    """Return the names and the hashes of the files."""
    from answersim.checkpoints.search import sha256

    if len(paths) == 1:
        return {"file": paths[0].name, "SHA-256 of the file": sha256(paths[0])}
    return {f"file {i}": f"{path.name}, SHA-256 {sha256(path)}" for i, path in enumerate(paths, start=1)}


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
