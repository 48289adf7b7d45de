"""``answersim report``: an evaluation of systems, or a study of metrics, as one HTML page that needs no network."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from answersim.calibration.decision import UNSURE
from answersim.calibration.verdicts import ANSWER_VERDICTS
from answersim.commands.shared import (
    BatchTokens,
    Cache,
    CalibrationName,
    Cut,
    Delimiter,
    Device,
    Encoding,
    IdColumn,
    Language,
    MinPrecision,
    Precision,
    Preds,
    Profile,
    Question,
    References,
    SkipBad,
    SplitGold,
    Unsure,
    cache_for,
    listed,
    refuse_given,
)
from answersim.errors import unknown
from answersim.io import files
from answersim.io.detection import read_options
from answersim.runtime.cli_errors import user_errors

KINDS = ("answers", "study")
LABEL = "label"
_ONLY_ANSWERS = ("id", "references", "calibration", "unsure", "min_precision", "cut", "group", "split_gold", "skip_bad")
_ONLY_STUDY = ("scores", "label_cut", "resamples", "seed")
_NAMED = (  # the options that decide the page, in the order of the shown command
    "kind", "label", "metrics", "scores", "by", "gold", "pred", "question", "id", "references", "group",
    "split_gold", "calibration", "unsure", "min_precision", "cut", "skip_bad", "label_cut", "title", "lang", "profile",
    "precision", "resamples", "seed", "figures",
)  # fmt: skip


def report(
    context: typer.Context,
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="A table, or one table per system, joined by id. - is standard input."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The HTML file to write.")] = Path("report.html"),
    kind: Annotated[
        str | None,
        typer.Option(
            help="answers: how many are right, by verdicts. study: metrics against labels. Default: study if one file "
            "has labels."
        ),
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(
            help="The column of labels. Several columns mean several raters in a study, and several systems in a "
            "report of answers."
        ),
    ] = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metrics", "-m", help="Metrics to compute, separated by commas. The first one gives the verdicts."
        ),
    ] = None,
    scores: Annotated[
        list[str] | None,
        typer.Option(help="Columns with scores of other tools. Default: all further columns of numbers."),
    ] = None,
    gold: Annotated[str, typer.Option(help="The column of gold answers.")] = "gold",
    pred: Preds = None,
    question: Question = None,
    id: IdColumn = None,
    references: References = None,
    by: Annotated[
        list[str] | None, typer.Option(help="Subsets by a column, or by: length, question, lang. May be repeated.")
    ] = None,
    group: Annotated[
        str | None, typer.Option(help="The column that dependent answers have in common, if it is not the question.")
    ] = None,
    split_gold: SplitGold = None,
    calibration: CalibrationName = "shipped",
    unsure: Unsure = UNSURE,
    min_precision: MinPrecision = None,
    cut: Cut = None,
    label_cut: Annotated[
        float | None,
        typer.Option(help="In a study, labels of at least this value are equivalent. Default: the highest label."),
    ] = None,
    title: Annotated[str | None, typer.Option(help="The heading. Default: the name of the file.")] = None,
    figures: Annotated[
        Path | None,
        typer.Option(help="A folder for the figures as SVG, PNG and PDF. By default, they are only in the page."),
    ] = None,
    lang: Language = "en",
    profile: Profile = None,
    resamples: Annotated[int, typer.Option(min=1, help="The number of resamples for the intervals of a study.")] = 1000,
    seed: Annotated[int, typer.Option(help="The random seed of these resamples.")] = 0,
    skip_bad: SkipBad = False,
    device: Device = None,
    precision: Precision = None,
    batch_tokens: BatchTokens = None,
    cache: Cache = True,
    encoding: Encoding = None,
    delimiter: Delimiter = None,
    progress: Annotated[bool, typer.Option(help="Show progress bars on a terminal.")] = True,
) -> None:
    """Write an HTML page about systems, or about metrics.

    It shows how many answers of each system are right, or how far metrics agree with labels.
    """
    given = dict(locals())
    with user_errors(), read_options(encoding, delimiter):
        if kind is not None and kind not in KINDS:
            raise unknown("kind of report", kind, KINDS)
        if sum(str(path) == "-" for path in [*paths, references]) > 1:
            raise ValueError("standard input (-) is given twice, but it can be read once")
        given["read"] = read = [files.buffer_stdin(path) for path in paths]
        for path in read:
            files.check_readable(path)
        from answersim.report.rendering import check_page, ready, write_page

        check_page(output, figures)
        files.refuse_overwriting_input([*read, references], output)
        ready()
        given["preds"], given["labels"] = listed(pred) or ["pred"], listed(label)
        chosen = kind or _kind(read, given["preds"], given["labels"])
        unused = _ONLY_STUDY if chosen == "answers" else _ONLY_ANSWERS
        refuse_given(context, unused, f"it has no effect on a report of the kind {chosen!r}; leave it out")
        html, what = _answers(given) if chosen == "answers" else _study(given)
        typer.echo(write_page(html, output, what))


def _kind(paths: Sequence[Path], preds: Sequence[str], labels: Sequence[str]) -> str:
    """Return the kind of report that fits the input."""
    from answersim.report.gathering import has_labels

    if len(paths) > 1 or len(preds) > 1:
        return "answers"
    return "study" if labels or has_labels(paths[0], LABEL) else "answers"


def _study(given: Mapping[str, Any]) -> tuple[str, str]:
    """Return the page of the study of metrics against labels, and how many pairs it shows."""
    from answersim.agreement.judgments import judgments
    from answersim.agreement.study import correlate
    from answersim.report.page import page

    if len(given["read"]) > 1 or len(given["preds"]) > 1:
        raise ValueError("a study of metrics needs one file and one column of predictions; leave the others out")
    (path,), (pred,) = given["read"], given["preds"]
    metrics, subsets, raters = listed(given["metrics"]), listed(given["by"]), given["labels"] or [LABEL]
    judged = judgments(
        path,
        label=raters if len(raters) > 1 else raters[0],
        gold=given["gold"],
        pred=pred,
        question=given["question"],
        columns=[name for name in subsets if name not in ("length", "question", "lang")],
        scores=None if given["scores"] is None else listed(given["scores"]),
        metric=metrics,
        cache=cache_for(metrics, given["cache"]),
        **{name: given[name] for name in ("lang", "profile", "device", "precision", "batch_tokens", "progress")},
    )
    agreement = correlate(
        judged, by=subsets, resamples=given["resamples"], rng=given["seed"], tests=("bootstrap",), compare=("tau-b",)
    )
    return page(judged, agreement, cut=given["label_cut"], **_page(given)), f"{len(judged):,} pairs"


def _answers(given: Mapping[str, Any]) -> tuple[str, str]:
    """Return the page of the answers of systems, with labels or without, and how many answers there are."""
    from answersim.answers.reader import read_answers
    from answersim.evaluation.systems import evaluate
    from answersim.report import gathering
    from answersim.report.systems import systems_page
    from answersim.scoring.score import default_for, options_of_each

    read: list[Path] = given["read"]
    data = read if len(read) > 1 else read[0]
    names: list[str | None] = [*listed(given["metrics"])] or [None]
    named = [name or default_for(given["calibration"]) for name in names]
    options = options_of_each(named, given["device"], given["precision"], given["batch_tokens"])
    how = {"lang": given["lang"], "profile": given["profile"], "progress": given["progress"]}
    kept = cache_for(named, given["cache"])
    references = None if given["references"] is None else files.buffer_stdin(given["references"])
    evaluation = evaluate(
        data,
        names[0],
        pred=given["preds"],
        id=given["id"],
        references=references,
        by=listed(given["by"]),
        only=ANSWER_VERDICTS,
        cache=kept,
        **{name: given[name] for name in ("gold", "question", "group", "split_gold", "calibration", "unsure")},
        **{name: given[name] for name in ("min_precision", "cut", "skip_bad", "encoding", "delimiter")},
        **how,
        **options[0],
    )
    if evaluation.answers:
        answers, further = gathering.answers_of(evaluation), slice(1, None)
    else:  # without a calibration, an evaluation lists no answers
        names_of = {name: given[name] for name in ("gold", "question", "id", "split_gold", "skip_bad")}
        source = read_answers(data, pred=given["preds"], references=references, **names_of)
        answers = gathering.answers_read(source)
        further = slice(None)
    answers = gathering.with_metrics(answers, named[further], options=options[further], cache=kept, **how)
    labels = given["labels"] or _default_labels(read, given["preds"])
    if labels:
        answers = gathering.with_labels(answers, read, labels, given["id"])
    n = len(answers.ids) * len(answers.preds)
    return systems_page(evaluation, answers, **_page(given)), f"{n:,} answers"


def _default_labels(paths: Sequence[Path], preds: Sequence[str]) -> list[str]:
    """Return the default column of labels if every system has labels in it."""
    from answersim.report.gathering import has_labels

    if len(preds) > 1:
        return []
    labeled = [has_labels(path, LABEL) for path in paths]
    if any(labeled) and not all(labeled):
        lacking = paths[labeled.index(False)]
        typer.echo(f"note: labels are not used, because {lacking} has none in a column {LABEL!r}", err=True)
    return [LABEL] if all(labeled) else []


def _page(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that the pages of both kinds accept."""
    from answersim.checkpoints.search import sha256

    read: list[Path] = given["read"]
    if len(read) == 1:
        metadata = {"file": read[0].name, "SHA-256 of the file": sha256(read[0])}
    else:
        metadata = {f"file {i}": f"{path.name}, SHA-256 {sha256(path)}" for i, path in enumerate(read, start=1)}
    return {
        "title": given["title"],
        "command": _command(given),
        "metadata": metadata,
        "folder": given["figures"],
        "base": given["output"].resolve().parent,
    }


def _command(given: Mapping[str, Any]) -> str:
    """Return the command line for the same page, without options that have their default."""
    defaults = {
        "gold": "gold", "lang": "en", "resamples": 1000, "seed": 0, "calibration": "shipped", "unsure": UNSURE,
        "skip_bad": False,
    }  # fmt: skip
    words = ["answersim", "report", *map(str, given["paths"])]
    for name in _NAMED:
        value = given[name]
        if value is None or value == defaults.get(name):
            continue
        words.append("--" + name.replace("_", "-"))
        if value is not True:
            words.append(",".join(listed(value)) if isinstance(value, list) else str(value))
    return shlex.join([*words, "--output", str(given["output"])])
