"""calibrate: learn what scores mean from labeled answers, or from scores and labels as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from answersim import arguments
from answersim.answers.reader import Answers, is_data, read_answers
from answersim.answers.sources import source
from answersim.answers.stacked import StackedAnswers, stacked, without_texts
from answersim.calibration import fitting
from answersim.calibration.model import Calibration
from answersim.catalog import lookup
from answersim.device import Device
from answersim.evaluation.human_labels import labeled_rows
from answersim.io import files
from answersim.judge.settings import PLACES
from answersim.scores import Scores
from answersim.scoring import score as scoring
from answersim.scoring.cache import CacheLike
from answersim.signature import column_signature
from answersim.types import Metric


def calibrate(
    data: Any,
    label: Any = "label",
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
        label: The column of the labels: 0 and 1, or grades with ``cut``; of one table with several columns of
            predictions, one column per system. Rows with an empty label are left out. With scores, the labels, shape
            (n,).
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
    columns = {"pred": pred, "gold": gold, "question": question, "id": id}
    if not is_data(data):
        unused = {"score": score, "group": group} | {name: columns[name] for name in ("question", "id")}
        if given := [name for name, value in unused.items() if value is not None]:
            raise TypeError(f"{given[0]} names a column, but scores are given; leave it out, or give a table")
        return fitting.calibrate(data, label, metric=metric, **settings)  # type: ignore[arg-type] # checked there
    if (metric is None) == (score is None):
        raise ValueError("give either metric=, to score the answers, or score=, to use existing scores")
    labels, scores_of = arguments.names("label", label), arguments.names("score", score)
    grouped = data.columns.group if isinstance(data, Answers) else group
    if grouped is not None and grouped in (*labels, *scores_of):
        raise ValueError(
            f"group (--group) is the column {grouped!r}, which contains labels or scores; name the column of what "
            "pairs have in common, such as the question"
        )
    rows = _rows(data, labels, scores_of, group, columns)
    labeled, grades = labeled_rows(rows, labels[0], "a calibration")
    if scores_of:
        scores = Scores(labeled.numbers_in(scores_of[0]), column_signature(scores_of[0]))
        how: Mapping[str, Any] = {"column": scores_of[0]}
    else:
        scores, how = _scored(labeled, metric, progress, cache)
    metadata = {"file": rows.path.name, "label": labels[0], "left out": len(rows.numbers) - len(grades)}
    return fitting.calibrate(
        scores,
        grades,
        groups=labeled.groups,
        metric=how,
        **settings | {"metadata": metadata | dict(settings.get("metadata") or {})},
    )


def _rows(
    data: Any, labels: Sequence[str], scores: Sequence[str], group: str | None, columns: Mapping[str, Any]
) -> StackedAnswers:
    """Return the answers of all systems, or the rows of a table with scores, whose texts are not read."""
    files.check_distinct_columns(**{"--label": labels[0], "--score": scores[0] if scores else None})
    if not scores or isinstance(data, Answers):
        return stacked(read_answers(data, **columns, group=group), own={"label": labels, "score": scores})
    if isinstance(data, list) and len(data) > 1:
        raise ValueError(f"{len(data)} files are given with --score, but recorded scores are in one; give one file")
    return without_texts(source(data, "the table"), group)


def _scored(
    answers: StackedAnswers, metric: Any, progress: bool, cache: CacheLike | None
) -> tuple[Scores, Mapping[str, Any]]:
    """Return the scores of the answers, and how the metric is built, without what changes no score."""
    how: dict[str, Any] = {}
    if isinstance(metric, str):
        metric = {"name": metric}
    if isinstance(metric, Mapping):
        how = {"lang": "en", "profile": None, "options": {}, **metric}
        metric = lookup.metric(how["name"], lang=how["lang"], profile=how["profile"], **how["options"])
        how["options"] = _signed(how["options"])
    scores = scoring.score(
        answers.golds, answers.preds, metric, question=answers.questions, progress=progress, cache=cache
    )
    return scores, how


def _signed(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that change scores. Of the device, this is the precision."""
    signed = {name: value for name, value in options.items() if name not in (lookup.DEVICE, *PLACES)}
    precision = Device.of(options.get(lookup.DEVICE, Device())).precision
    return signed if precision == Device().precision else signed | {lookup.DEVICE: precision}
