"""write_report: an evaluation of systems, or a study of metrics, as one HTML page that needs no network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from answersim import arguments
from answersim.agreement.judgments import judgments
from answersim.agreement.study import correlate
from answersim.answers.reader import Answers, read_answers
from answersim.calibration.storing import ANY, CalibrationLike
from answersim.calibration.verdicts import ANSWER_VERDICTS, Verdicts
from answersim.checkpoints.search import sha256
from answersim.errors import unknown, warn_user
from answersim.evaluation.labeling import is_open
from answersim.evaluation.systems import evaluate
from answersim.io import output_files
from answersim.report import gathering
from answersim.report.page import page as study_page
from answersim.report.rendering import PageSettings, check_page, ready, write_page
from answersim.report.systems import systems_page
from answersim.scoring.cache import CacheLike
from answersim.scoring.metrics import named_metric
from answersim.stats.resampling import Bootstrap
from answersim.types import OneOrSeveral

KINDS = ("answers", "study")
LABEL = "label"


def write_report(
    data: Any,
    output: str | PathLike[str] = "report.html",
    metric: OneOrSeveral = (),
    *,
    kind: str | None = None,
    by: Sequence[str] = (),
    label: str | Sequence[str] = (),
    score: Sequence[str] = (),
    positive_from: float | None = None,
    calibration: CalibrationLike | Verdicts | None = ANY,
    lang: str = "en",
    bootstrap: Bootstrap = Bootstrap(),
    settings: PageSettings = PageSettings(),
    cache: CacheLike | None = None,
    progress: bool = True,
) -> str:
    """Write an HTML page about the answers of systems, or about metrics and human labels.

    Args:
        data: What ``answersim.read_answers`` reads or returns.
        output: The page.
        metric: The metrics. The first one gives the verdicts. In a study, none means those of the table.
        kind: "answers" for an evaluation of systems, "study" for metrics against labels. If None, it is a study if
            there is one system and it has labels.
        by: Subsets, as for ``evaluate`` and ``correlate``.
        label: The columns of human labels: of several raters in a study, of several systems in a report of answers.
            The default is "label".
        score: The columns of scores in a study. By default, all further columns of numbers.
        positive_from: In a study, labels of at least this value are equivalent. By default, the highest label.
        calibration: As for ``evaluate``, for a report of answers.
        lang: The language of the answers.
        bootstrap: The coverage of the intervals and, in a study, the resamples.
        settings: The heading, the folder of the figures, and what else the page shows.
        cache: As for ``evaluate``, and so is ``progress``.
        progress: Whether long work may show a progress bar.

    Returns:
        A line with the place, the size and the content of the page.

    Raises:
        FileNotFoundError, LookupError, TypeError, ValueError: As ``evaluate`` and ``correlate``.
        MissingExtraError: If jinja2 or matplotlib is not installed.
    """
    place = Path(arguments.path("output", output))
    if kind is not None and kind not in KINDS:
        raise unknown("kind of report", kind, KINDS)
    check_page(place, settings.figures)
    ready()
    source = read_answers(data)
    output_files.refuse_overwriting_input(source.files, place)
    labels = [label] if isinstance(label, str) else list(label)
    settings = replace(settings, metadata=_metadata(source) | dict(settings.metadata), base=place.resolve().parent)
    kind = kind or report_kind(source, labels)
    if kind == "answers":
        how: dict[str, Any] = {"by": by, "bootstrap": bootstrap, "lang": lang, "cache": cache, "progress": progress}
        html, what = _answers(source, metric, labels, calibration, settings, how)
    else:
        how = {"metric": metric, "scores": list(score) or None, "lang": lang, "cache": cache, "progress": progress}
        html, what = _study(source, labels, positive_from, bootstrap, settings, by, how)
    return write_page(html, place, what)


def report_kind(source: Answers, labels: Sequence[str] = ()) -> str:
    """Return the kind of report that fits these answers, and the columns of labels if any are named."""
    if len(source.systems) > 1:
        return "answers"
    if not labels:
        cells = source.with_columns(own=(LABEL,)).read().own[source.systems[0]].get(LABEL, ())
        labels = [LABEL] if any(not is_open(cell) for cell in cells) else []
    return "study" if labels else "answers"


def _answers(
    source: Answers,
    metric: OneOrSeveral,
    labels: list[str],
    calibration: CalibrationLike | Verdicts | None,
    settings: PageSettings,
    how: dict[str, Any],
) -> tuple[str, str]:
    """Return the page of the answers of systems, with labels or without, and how many answers there are."""
    lang = how["lang"]
    metrics = dict(named_metric(one, calibration, lang) for one in _each(metric) or [None])
    first = dict(list(metrics.items())[:1])
    evaluation = evaluate(source, first, calibration=calibration, keep=ANSWER_VERDICTS, **how)
    # without a calibration, an evaluation lists no answers
    answers = gathering.answers_of(evaluation) if evaluation.answers else gathering.answers_read(source)
    further = {name: built for name, built in metrics.items() if name not in answers.scores}
    answers = gathering.with_metrics(answers, further, cache=how["cache"], progress=how["progress"])
    columns = labels or ([LABEL] if len(source.columns.preds) == 1 else [])
    found = gathering.labels_of(source, columns)
    if len(found) == len(answers.preds):
        answers = gathering.with_labels(answers, source, found)
    elif found:
        lacking = next(system for system in answers.preds if system not in found)
        warn_user(
            UserWarning(f"labels are not used, because {lacking} has none in a column {(labels or [LABEL])[0]!r}")
        )
    return systems_page(evaluation, answers, settings), f"{len(answers.ids) * len(answers.preds):,} answers"


def _study(
    source: Answers,
    labels: list[str],
    positive_from: float | None,
    bootstrap: Bootstrap,
    settings: PageSettings,
    by: Sequence[str],
    how: dict[str, Any],
) -> tuple[str, str]:
    """Return the page of the study of metrics against labels, and how many pairs it shows."""
    raters = labels or [LABEL]
    columns = [name for name in by if name not in ("length", "question", "lang")]
    judged = judgments(source, label=raters if len(raters) > 1 else raters[0], columns=columns, **how)
    study = correlate(judged, by=by, bootstrap=bootstrap, tests=("bootstrap",), compare=("tau-b",))
    html = study_page(judged, study, positive_from=positive_from, settings=settings)
    return html, f"{len(judged):,} pairs"


def _each(metric: OneOrSeveral) -> list[Any]:
    """Return the metrics one by one, each as ``named_metric`` takes it."""
    if isinstance(metric, Mapping):
        return [{name: built} for name, built in metric.items()]
    return list(metric) if isinstance(metric, (list, tuple)) else [metric]


def _metadata(source: Answers) -> dict[str, str]:
    """Return the names and the hashes of the files."""
    if len(source.files) == 1:
        return {"file": source.files[0].name, "SHA-256 of the file": sha256(source.files[0])}
    return {f"file {i}": f"{path.name}, SHA-256 {sha256(path)}" for i, path in enumerate(source.files, start=1)}
