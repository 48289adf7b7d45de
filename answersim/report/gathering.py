"""The answers of systems with scores, verdicts and labels, as the page of an evaluation shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from answersim.answers.reader import Answers
from answersim.calibration.verdicts import ANSWER_VERDICTS, Decided
from answersim.evaluation import system_columns
from answersim.evaluation.human_labels import SystemLabels
from answersim.evaluation.labeling import INCLUSION, STRATUM
from answersim.evaluation.results import Evaluation
from answersim.evaluation.tables import AnswerRow
from answersim.extraction import Extraction
from answersim.scoring.cache import CacheLike
from answersim.scoring.score import score_pairs
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
        verdicts: "right", "wrong", "unsure" or "not attempted", by system; empty if the rule counts none.
        finals: The final answers that were read out of the predictions, by system; empty without a rule.
        labels: Human labels from 0 to 1, nan for none, by system; empty without labels.
    """

    ids: list[str]
    golds: list[Any]
    questions: list[str] | None
    preds: dict[str, list[str]]
    scores: dict[str, dict[str, FloatArray]]
    signatures: dict[str, str]
    probabilities: dict[str, FloatArray]
    verdicts: dict[str, NDArray[np.str_]]
    finals: dict[str, list[Extraction]]
    labels: dict[str, SystemLabels]


def answers_of(evaluation: Evaluation) -> SystemAnswers:
    """Return the answers that an evaluation lists.

    Raises:
        ValueError: If it does not list all answers of every system, as without ``keep=ANSWER_VERDICTS``.
    """
    by_system: dict[str, dict[str, AnswerRow]] = {system: {} for system in evaluation.systems}
    for answer in evaluation.answers:
        by_system[answer.system][answer.row] = answer
    for system, listed in by_system.items():
        if len(listed) < (n := evaluation.row(system).n):
            raise ValueError(
                f"the evaluation lists {len(listed):,} of {n:,} answers of {system}, but a report shows all of them; "
                'evaluate with keep=("right", "wrong", "unsure", "not attempted")'
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
        finals={
            system: [Extraction(answer.answer or "", answer.rule, *(answer.place or (-1, -1))) for answer in found]
            for system, found in rows.items()
            if any(answer.answer is not None for answer in found)
        },
        labels={},
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
    return SystemAnswers(answers.ids, answers.golds, answers.questions, answers.predictions, {}, {}, {}, {}, {}, {})


def with_metrics(
    answers: SystemAnswers, metrics: Mapping[str, Metric], *, progress: bool = True, cache: CacheLike | None = None
) -> SystemAnswers:
    """Return the same answers with the scores of these metrics after those that there are.

    Args:
        answers: The answers.
        metrics: By name. Metrics that read questions get them.
        progress: Whether long work may show a progress bar, which appears on a terminal only.
        cache: As for ``answersim.score_pairs``.
    """
    if not metrics:
        return answers
    built = list(metrics.values())
    pairs = [(gold, pred) for preds in answers.preds.values() for gold, pred in zip(answers.golds, preds, strict=True)]
    questions = None
    if answers.questions is not None and any(map(reads_questions, built)):
        questions = answers.questions * len(answers.preds)
    scored = score_pairs(pairs, built, question=questions, progress=progress, cache=cache)
    n = len(answers.ids)
    scores, signatures = dict(answers.scores), dict(answers.signatures)
    for name, metric in metrics.items():
        values = scored[metric.signature]
        scores[name] = {system: values.values[i * n : (i + 1) * n] for i, system in enumerate(answers.preds)}
        signatures[name] = values.signature
    return answers._replace(scores=scores, signatures=signatures)


def labels_of(source: Answers, columns: Sequence[str]) -> dict[str, SystemLabels]:
    """Return the human labels of the systems that have some.

    Args:
        source: The answers.
        columns: The column of labels of every table, or, of one table, one column per system in their order. An empty
            cell is no label. The columns ``inclusion`` and ``stratum`` are those of ``answersim label``.

    Raises:
        ValueError: If a label is invalid, or the number of columns is neither one nor that of the systems.
    """
    if not columns:
        return {}
    answers = source.with_columns(own=(*columns, INCLUSION, STRATUM)).read()
    by_system = system_columns.by_system(answers, "label", columns, len(source.columns.preds) == 1)
    found = system_columns.labels(answers, by_system)
    return {system: given for system, given in found.items() if not np.isnan(given.labels).all()}


def with_labels(answers: SystemAnswers, source: Answers, found: dict[str, SystemLabels]) -> SystemAnswers:
    """Return the same answers with their human labels, in the order of the answers."""
    places = {key: i for i, key in enumerate(key for block in source for key in block.ids)}
    order = [places[key] for key in answers.ids]
    ordered = {
        system: SystemLabels(*(None if part is None else part[order] for part in given))  # type: ignore[arg-type] # labels
        for system, given in found.items()
    }
    return answers._replace(labels=ordered)
