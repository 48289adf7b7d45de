"""The columns that are compared on judged answers: scores of metrics, recorded scores, and sentinels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

import answersim
from answersim._base.arrays import FloatArray
from answersim.evaluation import data
from answersim.evaluation.data.datasets import RECORDED, RECORDED_FILES, DatasetNotFoundError
from answersim.types import Metric, reads_questions
from benchmarks.paper_sets import say
from benchmarks.system_answers import SystemAnswer, plain

Kind: TypeAlias = Literal["metric", "recorded", "sentinel"]

QUESTION = " + question"  # suffix of a metric with the questions
RECORDED_SUFFIX = " (recorded)"
SENTINELS = ("length", "consensus", "constant")
_AT_A_TIME = 400  # the number of answers that are scored together, and lost if a run is interrupted
_COSINES = ("bi-encoder", "bertscore")  # metrics between -1 and 1, on which .5 has no meaning


class ScoredColumn(NamedTuple):
    """The scores of one metric for all answers of a set."""

    name: str  # the name of the metric in the tables
    # "metric", "recorded" (published scores of another model) or "sentinel" (ignores gold answer and question)
    kind: Kind
    values: FloatArray  # finite numbers, shape (n,)
    signature: str  # the signature of the scores
    half: bool  # whether .5 has a meaning: the metric promises a probability, or is between 0 and 1


def columns_of(
    answers: Sequence[SystemAnswer], metrics: Mapping[str, Metric], cache: Path | None = None
) -> list[ScoredColumn]:
    """Return the scores of these metrics, each also with the questions if it reads them.

    All gold answers of a question are references, and the one that scores highest counts. An empty answer is scored as
    any other. The scores are computed in pieces, so that an interrupted run continues where its cache ends.
    """
    plain = {metric.signature: np.empty(len(answers)) for metric in metrics.values()}
    asked = {metric.signature: np.empty(len(answers)) for metric in metrics.values() if reads_questions(metric)}
    signed: dict[str, str] = {}
    for start in range(0, len(answers), _AT_A_TIME):
        piece = answers[start : start + _AT_A_TIME]
        pairs = [(answer.golds, answer.answer) for answer in piece]
        for columns, questions in ((plain, None), (asked, [answer.question for answer in piece])):
            wanted = [metric for metric in metrics.values() if metric.signature in columns]
            if wanted:
                scored = answersim.score_pairs(pairs, wanted, question=questions, cache=cache)
                for name, scores in scored.items():
                    columns[name][start : start + _AT_A_TIME] = scores.values
                    signed[name + (QUESTION if questions else "")] = scores.signature
    listed: list[ScoredColumn] = []
    for name, metric in metrics.items():
        for columns, suffix in ((plain, ""), (asked, QUESTION)):
            if metric.signature in columns:
                values = columns[metric.signature]
                signature = signed.get(metric.signature + suffix, metric.signature)
                listed.append(ScoredColumn(name + suffix, "metric", values, signature, _has_half(name, values)))
    return listed


def sentinels(answers: Sequence[SystemAnswer]) -> list[ScoredColumn]:
    """Return columns that ignore the gold answers and the question. Their quality is what a set reveals by itself.

    "length" is the number of words, negative, so that a short answer scores high. "consensus" is the mean F1 of an
    answer with the other answers to its question, 0 if there are none. "constant" is the same number for all.
    """
    lengths = np.array([-float(len(answer.answer.split())) for answer in answers])
    columns = (lengths, _consensus(answers), np.zeros(len(answers)))
    return [
        ScoredColumn(name, "sentinel", values, f"sentinel:{name}", False)
        for name, values in zip(SENTINELS, columns, strict=True)
    ]


def recorded(answers: Sequence[SystemAnswer]) -> tuple[list[SystemAnswer], list[ScoredColumn]]:
    """Return the answers with recorded scores of the SAS paper, and these scores; both empty if the file is absent.

    The authors recorded scores of their own, larger models for pairs of NQ-open, which are answers of EfficientQA. An
    answer has scores if there are some for its question, its text and each of its gold answers, whatever their case
    and punctuation. The others are mostly those that the paper removed, for example because the gold answer is wrong.
    """
    try:
        pairs = data.load("nq-open")
    except DatasetNotFoundError as error:
        say(f"recorded scores are left out: {error}")
        return [], []
    places: dict[tuple[str, ...], int] = {}
    for i, (pair, question) in enumerate(zip(pairs.pairs, pairs.questions or (), strict=True)):
        places.setdefault((plain(question), plain(pair.gold), plain(pair.pred)), i)
    kept: list[SystemAnswer] = []
    found: list[list[int]] = []
    for answer in answers:
        at = [places.get((plain(answer.question), plain(gold), plain(answer.answer))) for gold in answer.golds]
        whole = [i for i in at if i is not None]
        if len(whole) == len(at):
            kept.append(answer)
            found.append(whole)
    columns = []
    for name in RECORDED if kept else ():
        values = np.array([max(pairs.recorded[name][at]) for at in found])
        source = f"recorded:{Path(RECORDED_FILES['nq-open']).name}|column:{RECORDED[name]}"
        columns.append(ScoredColumn(name + RECORDED_SUFFIX, "recorded", values, source, _has_half(name, values)))
    return kept, columns


def _consensus(answers: Sequence[SystemAnswer]) -> FloatArray:
    by_question: dict[str, list[int]] = {}
    for i, answer in enumerate(answers):
        by_question.setdefault(answer.question, []).append(i)
    both = [(i, j) for group in by_question.values() for i in group for j in group if i != j]
    scores = answersim.score_pairs([(answers[j].answer, answers[i].answer) for i, j in both], ["f1"])["f1"].values
    at = np.array([i for i, _ in both], dtype=np.int64)
    total, n = (np.bincount(at, weights=weights, minlength=len(answers)) for weights in (scores, np.ones(len(at))))
    return np.divide(total, n, out=np.zeros(len(answers)), where=n > 0)


def _has_half(name: str, values: FloatArray) -> bool:
    """Return whether a score of .5 has a meaning: no cosine, and all scores between 0 and 1."""
    bounded = len(values) > 0 and float(values.min()) >= 0 and float(values.max()) <= 1
    return bounded and not name.startswith(_COSINES)
