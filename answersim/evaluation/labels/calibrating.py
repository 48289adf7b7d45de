"""calibrate: learn what scores mean from labeled answers, or from scores and labels as arrays."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from answersim._base import arguments
from answersim._base.device import Device
from answersim._base.io import files
from answersim._base.signature import column_signature
from answersim.answers.tables import system_columns
from answersim.answers.tables.reader import is_data, read_answers
from answersim.answers.tables.table import Answers
from answersim.calibration import fitting
from answersim.calibration.model.model import Calibration
from answersim.calibration.scores import Scores
from answersim.evaluation.labels.human_labels import SystemLabels
from answersim.evaluation.labels.label_sources import label_columns, system_labels
from answersim.metrics.catalog import lookup
from answersim.metrics.judge.settings import PLACES
from answersim.scoring import score as scoring
from answersim.scoring.cache import CacheLike
from answersim.scoring.languages.table_language import AUTO, table_language
from answersim.types import Metric


def calibrate(
    data: Any,
    labels: Any = "label",
    metric: str | Metric | Mapping[str, Any] | None = None,
    *,
    score: str | Sequence[str] | None = None,
    pred: str | Sequence[str] = "pred",
    gold: str = "gold",
    question: str | None = None,
    id: str | None = None,  # the name of the column in files of predictions
    group: str | None = None,
    progress: bool = True,
    cache: CacheLike | None = None,
    **settings: Any,
) -> Calibration:
    """Learn probabilities and thresholds of a metric from human labels.

    Args:
        data: What ``answersim.read_answers`` reads or returns, with a column of labels; or the scores of pairs, one
            finite number each, shape (n,).
        labels: Human labels as for ``answersim.evaluate``, by default the column "label". They are 0 and 1, or any
            grades with ``cut``. Answers without a label are left out. With scores, the labels, shape (n,).
        metric: The metric that scores the answers: a name, a mapping with its "name", "lang", "profile" and "options",
            or a metric that was already built. The calibration contains how a named one is built. With scores, such a
            mapping.
        score: A column of scores, instead of a metric. The texts are then not read.
        pred: The column of the predictions, or the columns of several systems.
        gold: The column of the gold answers.
        question: The column of the questions, for metrics that read them.
        id: The column that identifies a row. It is "id" for several tables.
        group: The column of what dependent pairs have in common, such as the question.
        progress: Whether long work may show a progress bar, which appears on a terminal only.
        cache: Where the scores of networks are stored and looked up.
        settings: As of ``answersim.calibration.calibrate``: ``cut``, ``target``, ``bootstrap`` and others.

    Raises:
        ValueError: If neither a metric nor scores are given, or both, or labels were drawn with unequal probabilities.
            The others are those of ``answersim.read_answers`` and ``answersim.calibration.calibrate``.
        TypeError, LookupError: As these functions.

    >>> data = {"gold": ["Rome"] * 40, "pred": ["in Rome", "Oslo"] * 20}
    >>> data["label"] = [1, 0] * 20
    >>> calibrate(data, metric="recall").verdicts([1.0]).tolist()
    ['equivalent']
    """
    if not is_data(data):
        unused = {"score": score, "group": group, "question": question, "id": id}
        if unused_columns := [name for name, value in unused.items() if value is not None]:
            raise TypeError(f"{unused_columns[0]} names a column, but scores are given; leave it out, or give a table")
        return fitting.calibrate(data, labels, metric=metric, **settings)  # type: ignore[arg-type] # checked there
    if (metric is None) == (score is None):
        raise ValueError("give either metric=, to score the answers, or score=, to use existing scores")
    scores, columns = arguments.names("score", score), label_columns(labels)
    grouped = data.columns.group if isinstance(data, Answers) else group
    if grouped is not None and grouped in (*columns, *scores):
        raise ValueError(
            f"group (--group) is the column {grouped!r}, which contains labels or scores; name the column of what "
            "pairs have in common, such as the question"
        )
    files.check_distinct_columns(**{"--labels": next(iter(columns), None), "--score": next(iter(scores), None)})
    source = data
    if not scores:
        source = read_answers(data, pred=pred, gold=gold, question=question, id=id, group=group)
    answers = system_columns.recorded_rows(source, id, group)
    rows, values = _labeled(answers, system_labels(labels, answers, grades=True, least=0))
    if scores:
        scored, settings_of_fit = _recorded(answers, rows, scores)
    else:
        scored, settings_of_fit = _scored(answers, rows, metric, progress, cache)
    left_out = len(answers.ids) * len(answers.predictions) - len(values)
    metadata = {"file": answers.path.name, "label": next(iter(columns), "label"), "left out": left_out}
    groups = None if answers.groups is None else _taken(answers.groups, rows)
    settings |= {"metadata": metadata | dict(settings.get("metadata") or {})}
    return fitting.calibrate(scored, values, groups=groups, metric=settings_of_fit, **settings)


def _labeled(answers: Answers, labels: Mapping[str, SystemLabels]) -> tuple[dict[str, list[int]], list[float]]:
    """Return the positions of the labeled answers by system, and the labels of all of them, system by system."""
    rows: dict[str, list[int]] = {}
    values: list[float] = []
    shares: list[float] = []
    for system, of_system in labels.items():
        rows[system] = [i for i, value in enumerate(of_system.labels.tolist()) if not math.isnan(value)]
        values += of_system.labels[rows[system]].tolist()
        shares += [] if of_system.inclusion is None else of_system.inclusion[rows[system]].tolist()
    if shares and not math.isclose(min(shares), max(shares)):
        raise ValueError(
            f"{answers.name}: the labeled rows were drawn with probabilities from {min(shares):.3g} to "
            f"{max(shares):.3g}, but a calibration counts each label once, so that its shares would be wrong for the "
            "file; label rows of 'answersim label --allocation proportional', or give the labels without their "
            "probabilities to describe the labeled rows alone"
        )
    return rows, values


def _taken(values: Sequence[Any], rows: Mapping[str, Sequence[int]]) -> list[Any]:
    """Return the value of each labeled answer."""
    return [values[i] for of_system in rows.values() for i in of_system]


def _recorded(
    answers: Answers, rows: Mapping[str, list[int]], scores: Sequence[str]
) -> tuple[Scores, Mapping[str, Any]]:
    """Return the recorded scores of the labeled answers, and their column."""
    of_systems = system_columns.by_system(answers, "score", scores)
    values = system_columns.scores(answers, of_systems, rows)
    column = [value for system in rows for value in values[system].tolist()]
    return Scores(column, column_signature(scores[0])), {"column": scores[0]}


def _scored(
    answers: Answers, rows: Mapping[str, list[int]], metric: Any, progress: bool, cache: CacheLike | None
) -> tuple[Scores, Mapping[str, Any]]:
    """Return the scores of the labeled answers, and how the metric is built, without what changes no score."""
    settings: dict[str, Any] = {}
    if isinstance(metric, str):
        metric = {"name": metric}
    if isinstance(metric, Mapping):
        settings = {"lang": AUTO, "profile": None, "options": {}, **metric}
        settings["lang"] = table_language(settings["lang"], answers)
        metric = lookup.metric(
            settings["name"], lang=settings["lang"], profile=settings["profile"], **settings["options"]
        )
        settings["options"] = _signed(settings["options"])
    preds = [answers.predictions[system][i] for system, places in rows.items() for i in places]
    questions = None if answers.questions is None else _taken(answers.questions, rows)
    scores = scoring.score(
        _taken(answers.golds, rows), preds, metric, question=questions, progress=progress, cache=cache
    )
    return scores, settings


def _signed(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that change scores. Of the device, this is the precision."""
    signed = {name: value for name, value in options.items() if name not in (lookup.DEVICE, *PLACES)}
    precision = Device.of(options.get(lookup.DEVICE, Device())).precision
    return signed if precision == Device().precision else signed | {lookup.DEVICE: precision}
