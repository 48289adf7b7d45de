"""The answers of systems with scores, verdicts and labels, as the page of an evaluation shows them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim.answers import sources
from answersim.answers.reader import Answers
from answersim.calibration.verdicts import ANSWER_VERDICTS, Decided
from answersim.evaluation.human_labels import SystemLabels
from answersim.evaluation.labeling import INCLUSION, STRATUM, value_of
from answersim.evaluation.results import Evaluation
from answersim.evaluation.rows import AnswerRow
from answersim.scoring.cache import CacheLike
from answersim.scoring.score import build, score_pairs
from answersim.types import FloatArray, Metric, reads_questions


class SystemAnswers(NamedTuple):
    """The answers of all systems to the same questions; each column has one entry per question row.

    Attributes:
        ids: The id of each row, or its number from 1, as text.
        golds: One gold answer, or several.
        questions: The questions, or None.
        preds: By system.
        scores: By the name of the metric, then by system; the first metric is that of the evaluation.
        signatures: By the name of the metric.
        probabilities: The probabilities of being right, by system; empty if the rule has none.
        verdicts: "right", "wrong" or "unsure", by system; empty if the rule counts none.
        labels: Human labels from 0 to 1, nan for none, by system; empty without labels.
        inclusion: The probability of each labeled row to be labeled, by system; empty if it is the same for all.
        strata: The stratum of each labeled row, by system, if the labeled rows were drawn by strata; else empty.
    """

    ids: list[str]
    golds: list[Any]
    questions: list[str] | None
    preds: dict[str, list[str]]
    scores: dict[str, dict[str, FloatArray]]
    signatures: dict[str, str]
    probabilities: dict[str, FloatArray]
    verdicts: dict[str, NDArray[np.str_]]
    labels: dict[str, FloatArray]
    inclusion: dict[str, FloatArray]
    strata: dict[str, FloatArray]


def answers_of(evaluation: Evaluation) -> SystemAnswers:
    """Return the answers that an evaluation lists.

    Raises:
        ValueError: If it does not list all answers of every system, as without ``only=("right", "wrong", "unsure")``.
    """
    by_system: dict[str, dict[str, AnswerRow]] = {system: {} for system in evaluation.systems}
    for answer in evaluation.answers:
        by_system[answer.system][answer.row] = answer
    for system, listed in by_system.items():
        if len(listed) < (n := evaluation.row(system).n):
            raise ValueError(
                f"the evaluation lists {len(listed):,} of {n:,} answers of {system}, but a report shows all of them; "
                'evaluate with only=("right", "wrong", "unsure")'
            )
    first = next(iter(by_system.values()))
    ids = sorted(first, key=_in_order)
    rows = {system: [listed[row] for row in ids] for system, listed in by_system.items()}
    some = next(iter(rows.values()))
    questions = [answer.question or "" for answer in some]
    return SystemAnswers(
        ids=ids,
        golds=[answer.gold for answer in some],
        questions=questions if any(answer.question is not None for answer in some) else None,
        preds={system: [answer.pred for answer in found] for system, found in rows.items()},
        scores={
            evaluation.metric: {
                system: np.array([answer.score for answer in found], dtype=np.float64) for system, found in rows.items()
            }
        },
        signatures={evaluation.metric: evaluation.signature},
        probabilities={
            system: np.array([answer.probability for answer in found], dtype=np.float64)
            for system, found in rows.items()
            if all(answer.probability is not None for answer in found)
        },
        verdicts={system: np.array([answer.verdict for answer in found]) for system, found in rows.items()},
        labels={},
        inclusion={},
        strata={},
    )


def decided_of(answers: SystemAnswers, metric: str) -> dict[str, Decided]:
    """Return what was decided of the scores of the metric of the evaluation, by system."""
    return {
        system: Decided(
            scores,
            answers.probabilities.get(system),
            np.array([ANSWER_VERDICTS.index(verdict) for verdict in answers.verdicts[system].tolist()], dtype=np.int8)
            if answers.verdicts
            else None,
        )
        for system, scores in answers.scores[metric].items()
    }


def _in_order(row: str) -> tuple[int, int, str]:
    """Order rows by number if they have one, else by name: the listed answers are ordered by verdict."""
    return (0, int(row), "") if row.isascii() and row.isdigit() else (1, 0, row)


def answers_read(data: Answers) -> SystemAnswers:
    """Return the answers that ``answersim.evaluate`` reads too, without scores. Errors are the same."""
    answers = data.read()
    return SystemAnswers(
        answers.ids, answers.golds, answers.questions, answers.predictions, {}, {}, {}, {}, {}, {}, {}
    )  # fmt: skip


def with_metrics(
    answers: SystemAnswers,
    metrics: Sequence[str | Metric],
    *,
    lang: str = "en",
    profile: str | None = None,
    options: Sequence[Mapping[str, Any]] = (),
    progress: bool = True,
    cache: CacheLike | None = None,
) -> SystemAnswers:
    """Return the same answers with the scores of these metrics after those that there are.

    Args:
        answers: The answers.
        metrics: Names, or metrics that were already built. Metrics that read questions get them.
        lang: The language of the answers.
        profile: The tokenizer or weights of the named metrics.
        options: Settings of each metric; none if not given.
        progress: Whether long work may show a progress bar, which appears on a terminal only.
        cache: As for ``answersim.score_pairs``.
    """
    if not metrics:
        return answers
    given = options or [{} for _ in metrics]
    built = [
        build(metric, lang if isinstance(metric, str) else None, profile, settings)
        for metric, settings in zip(metrics, given, strict=True)
    ]
    names = [metric if isinstance(metric, str) else metric.signature.split("|", 1)[0] for metric in metrics]
    pairs = [(gold, pred) for preds in answers.preds.values() for gold, pred in zip(answers.golds, preds, strict=True)]
    questions = None
    if answers.questions is not None and any(map(reads_questions, built)):
        questions = answers.questions * len(answers.preds)
    scored = score_pairs(pairs, built, question=questions, progress=progress, cache=cache)
    n = len(answers.ids)
    scores, signatures = dict(answers.scores), dict(answers.signatures)
    for name, metric in zip(names, built, strict=True):
        values = scored[metric.signature]
        scores[name] = {system: values.values[i * n : (i + 1) * n] for i, system in enumerate(answers.preds)}
        signatures[name] = values.signature
    return answers._replace(scores=scores, signatures=signatures)


def with_labels(
    answers: SystemAnswers,
    paths: Sequence[Path],
    columns: Sequence[str],
    id: str | None = None,
    format: str | None = None,
) -> SystemAnswers:
    """Return the same answers with the human labels of their files.

    Args:
        answers: The answers.
        paths: The file of all systems, or one file per system in their order.
        columns: The column of labels of every file, or, in one file, one column per system in their order. An empty
            cell is not a label. The columns ``inclusion`` and ``stratum`` have the probability of each row to be
            labeled and its stratum, as ``answersim label`` writes them.
        id: The column that identifies a row; its number from 1 if not given, and "id" for several files.
        format: The format of a log, if the files are logs.

    Raises:
        ValueError: If a label is invalid, or the number of columns is neither that of the systems nor that of the
            files.
        LookupError: If a file has no such column.
    """
    systems = list(answers.preds)
    if len(paths) > 1:
        if len(columns) != 1:
            raise ValueError(f"{len(columns)} columns of labels are given for one file per system; give one column")
        sources = [(path, columns[0]) for path in paths]
        id = id or "id"
    else:
        if len(columns) != len(systems):
            raise ValueError(
                f"{len(columns)} columns of labels are given for {len(systems)} systems; give one per system, in the "
                "order of the systems"
            )
        sources = [(paths[0], column) for column in columns]
    labels, inclusion, strata = {}, {}, {}
    for system, (path, column) in zip(systems, sources, strict=True):
        found = _labels(path, column, id, answers.ids, format)
        labels[system] = found.labels
        if found.inclusion is not None:
            inclusion[system] = found.inclusion
        if found.strata is not None:
            strata[system] = found.strata
    return answers._replace(labels=labels, inclusion=inclusion, strata=strata)


def has_labels(path: Path, column: str, format: str | None = None) -> bool:
    """Return whether this file, or log of this format, has a column of this name with a label in any row."""
    table = sources.read(path, "the table", format).table
    return column in table.columns and any(not _is_empty(row.get(column)) for row in table.rows)


def _labels(path: Path, column: str, id: str | None, ids: Sequence[str], format: str | None) -> SystemLabels:
    table = sources.read(path, "the table", format).table.with_fields([column, *([id] if id else [])], path)
    for name in (column, *([id] if id else [])):
        if name not in table.columns:
            raise LookupError(f"{path} has no column {name!r}; its columns are: {', '.join(table.columns)}")
    rows = {str(i if id is None else row.get(id)): row for i, row in enumerate(table.rows, start=1)}
    found = [rows[key] for key in ids]
    labels = np.array(
        [value_of(_plain(row.get(column)), f"{path}, id {key}") for key, row in zip(ids, found, strict=True)]
    )
    inclusion, strata = (
        _numbers(found, name) if name in table.columns and not np.isnan(labels).all() else None
        for name in (INCLUSION, STRATUM)
    )
    if strata is not None and np.isnan(strata[~np.isnan(labels)]).any():
        strata = None
    return SystemLabels(labels, inclusion, strata)


def _numbers(rows: Sequence[Mapping[str, Any]], name: str) -> FloatArray:
    return np.array([math.nan if _is_empty(row.get(name)) else float(row[name]) for row in rows])


def _is_empty(value: Any) -> bool:
    value = _plain(value)
    return value is None or (isinstance(value, str) and not value.strip())


def _plain(value: Any) -> Any:
    """Return a cell, None for nan, which data frames and Parquet files have for no label."""
    return None if isinstance(value, float) and math.isnan(value) else value
