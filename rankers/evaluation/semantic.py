"""Semantic scores: how close in meaning the top candidates of a system are to the gold answers.

A top candidate that is labeled irrelevant may mean the same as a gold answer. It is then listed as a suspected false
negative.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

import answersim
from answersim._base.errors import unknown
from answersim.calibration import HIGH, find
from answersim.calibration.model.decision import first_score
from answersim.types import capabilities, reads_questions
from rankers.evaluation import ties
from rankers.evaluation.measures import mean
from rankers.settings import CALIBRATED, THRESHOLD
from rankers.types import Candidate, FloatArray, Question, Questions, Run

if TYPE_CHECKING:
    from answersim import Metric

FLOOR = 5  # the number of irrelevant candidates per question behind the floor of a metric

_FINGERPRINT = re.compile(r"(?<![0-9a-zA-Z])[0-9a-f]{12}(?![0-9a-zA-Z])")  # as answersim.metrics.checkpoints makes them
_TABLES = frozenset({"embedding", "embeddings", "table", "vectors", "words"})  # keys of a table of word vectors alone


class TopCandidate(NamedTuple):
    """The candidate that a run ranks first for a question."""

    question: Question  # the question
    # the candidate; None if the run does not have the question, and the answer is then empty
    candidate: Candidate | None
    is_relevant: bool  # whether it is relevant, so that P@1 is 1
    golds: tuple[str, ...]  # the answers that it is compared with; empty if none is known

    @property
    def text(self) -> str:
        """The text of the candidate; empty if there is none."""
        return self.candidate.text if self.candidate else ""


class SuspectedFalseNegative(NamedTuple):
    """A top candidate that is labeled irrelevant and, by a metric, means the same as a gold answer."""

    question_id: str  # the id of the question
    question: str  # its text
    choice_id: str  # the id of the candidate
    choice: str  # its text
    gold: str  # the gold answer that is closest to it
    value: float  # the score of the metric for the two


@dataclass(frozen=True, eq=False)
class SemanticScores:
    """The scores of one metric for the top candidates of a run."""

    metric: str  # the name of the metric
    signature: str  # the signature of the scores: that of the metric, with ``question:yes`` if it read questions
    # the best score over the gold answers of a question, shape (questions,); nan if no gold answer is known
    values: FloatArray
    # whether the top candidate is not relevant (P@1 is 0) and was scored, bool, shape (questions,)
    irrelevant: NDArray[np.bool_]
    # the irrelevant ones whose score reaches the threshold, the highest first
    false_negatives: tuple[SuspectedFalseNegative, ...]
    threshold: float  # the score from which on an answer counts as equivalent
    # whether the metric uses weights of the ranker: "yes", "partly", "no", or "unknown" if the run does not state what
    # made it. See ``shares_weights``.
    shares_weights: str
    # the mean over irrelevant candidates of the pool, for each question whose top candidate is irrelevant, else nan;
    # shape (questions,). A metric where P@1=0 at this floor does not tell the top candidate from a random wrong one.
    floor: FloatArray

    @property
    def mean(self) -> float:
        """The mean over all questions with a gold answer. A relevant top candidate is a gold answer itself."""
        return mean(self.values)

    @property
    def mean_irrelevant(self) -> float:
        """The mean over the questions whose top candidate is irrelevant; nan if there are none."""
        return mean(self.values[self.irrelevant])


def evaluate_semantic(
    run: Run,
    questions: Questions,
    metrics: Sequence[str | Metric] | Mapping[str, Metric] = ("f1",),
    *,
    threshold: float | str | Mapping[str, float | str] = THRESHOLD,
    floor_candidates: int = FLOOR,
    ties_seed: int = 0,
    progress: bool = False,
) -> dict[str, SemanticScores]:
    """Score the top candidate of each question by each metric, and return the scores by the name of the metric.

    The gold answers are those of the question if it has any, else the texts of its relevant candidates. Of several, the
    closest one counts. All questions and metrics go through one call of ``answersim.score_pairs``. A metric that reads
    questions reads the text of the question beside the answers, unless it is empty. A question without a gold answer is
    not scored. The answer is "" for a question that is not in the run. For a run over misspelled questions pass the
    original questions, so that a system is scored on the answer it selects, not on typos in the question.

    An irrelevant top candidate is a suspected false negative from the threshold on; "calibrated" is the score at which
    the shipped calibration of the metric gives the probability of the verdict "equivalent", .7. ``floor_candidates``
    irrelevant candidates of each question, drawn by a hash, give the floor; a metric that calls a service has none.

    Raise LookupError if no metric has this name, no calibration for a metric ships, or the text of a top candidate is
    not known. Raise ValueError if a threshold is for a metric that is not among these.
    """
    named = _named(metrics)
    _check_threshold(threshold, named)
    choices = list(top_candidates(run, questions, ties_seed))
    scored = [(i, choice.text) for i, choice in enumerate(choices) if choice.golds]
    wrong = list(_wrong(questions, choices, floor_candidates))
    by_name: dict[str, SemanticScores] = {}
    for is_remote, rows in ((False, [*scored, *wrong]), (True, scored)):  # a service scores no wrong candidates
        of_cost = {
            name: metric for name, metric in named.items() if (capabilities(metric).cost == "remote") == is_remote
        }
        if not of_cost:
            continue
        texts = [choices[i].question.text for i, _ in rows]
        by_signature = answersim.score_pairs(
            [(choices[i].golds, text) for i, text in rows],
            list(of_cost.values()),
            question=texts if any(texts) and any(map(reads_questions, of_cost.values())) else None,
            progress=progress,
        )
        places, n = np.array([i for i, _ in rows], dtype=np.int64), len(scored)
        counts = np.bincount(places[n:], minlength=len(choices))
        for name, metric in of_cost.items():
            scores = by_signature[metric.signature]
            sums = np.bincount(places[n:], weights=scores.values[n:], minlength=len(choices))
            floor = np.divide(sums, counts, out=np.full(len(choices), np.nan), where=counts > 0)
            values = np.full(len(choices), np.nan)
            values[places[:n]] = scores.values[:n]
            limit = _limit(threshold, name, scores.signature)
            suspected = _suspected(
                choices, values, dict(zip(places[:n].tolist(), scores.references, strict=False)), limit
            )
            irrelevant = np.array([bool(choice.golds) and not choice.is_relevant for choice in choices], dtype=np.bool_)
            shares = shares_weights(run.signature, "\n".join(signatures(metric)))
            by_name[name] = SemanticScores(name, scores.signature, values, irrelevant, suspected, limit, shares, floor)
    return {name: by_name[name] for name in named}


def _wrong(questions: Questions, choices: Sequence[TopCandidate], n: int) -> Iterator[tuple[int, str]]:
    """Yield the position of each question whose top candidate is irrelevant, with up to n irrelevant candidates."""
    for i, choice in enumerate(choices):
        if n >= 1 and choice.golds and not choice.is_relevant:
            texts = {c.id: c.text for c in choice.question.candidates if c.text and not questions.is_relevant(c)}
            yield from ((i, texts[name]) for name in drawn_wrong(choice.question.id, texts, n))


def drawn_wrong(question: str, documents: Iterable[str], n: int) -> list[str]:
    """Return up to ``n`` of these documents, in the order of a hash of question and document.

    The first ones of a larger set are those of every subset that contains them.
    """
    return sorted(set(documents), key=lambda document: ties.order_key(question, document))[:n]


def top_candidates(run: Run, questions: Questions, ties_seed: int = 0) -> Iterator[TopCandidate]:
    """Yield the top candidate of each question, in order.

    Raise LookupError if the best document of a question is not a candidate, so its text is unknown.
    """
    for question in questions:
        golds = question.golds or tuple(
            candidate.text for candidate in question.candidates if questions.is_relevant(candidate)
        )
        scores = run.scores.get(question.id)
        if not scores:
            yield TopCandidate(question, None, False, golds)
            continue
        best = ties.order(question.id, scores, ties_seed)[0]
        candidate = next((candidate for candidate in question.candidates if candidate.id == best), None)
        if candidate is None:
            raise LookupError(
                f"the run {run.name!r} ranks {best!r} first for the question {question.id!r}, which is not one of its "
                f"candidates, so its text is unknown; rank the candidates only, or leave the metrics out"
            )
        yield TopCandidate(question, candidate, questions.is_relevant(candidate), golds)


def shares_weights(ranker: str, metric: str) -> str:
    """Return whether the weights behind a metric also produced the ranking, which makes the evaluation circular.

    The fingerprints of weights in the signatures identify both. For an adapted encoder, base and adapter count. The
    signature of a composite metric has those of its parts, one per line. "partly": the ranker only uses the table of
    word vectors of those weights (the fingerprint is under the key embedding, embeddings, table, vectors or words).
    "unknown": the metric has weights and the signature of the ranker is not known ("").

    >>> metric = "bi-encoder|encoder:all-MiniLM-L6-v2@17cdabe5708b/fp32|pooling:mean"
    >>> shares_weights("minilm-maxsim|encoder:all-MiniLM-L6-v2@17cdabe5708b/fp32", metric)
    'yes'
    >>> shares_weights("match-pyramid|embedding:all-MiniLM-L6-v2@17cdabe5708b|weights:0123456789ab", metric)
    'partly'
    >>> shares_weights("bm25|k1:1.2|b:0.75", metric), shares_weights("", metric), shares_weights("", "f1|text:en")
    ('no', 'unknown', 'no')
    """
    judging = set(_FINGERPRINT.findall(metric))
    if not judging:
        return "no"
    if not ranker:
        return "unknown"
    common = [(key, fingerprint) for key, fingerprint in _fingerprints(ranker) if fingerprint in judging]
    if not common:
        return "no"
    return "partly" if all(key in _TABLES for key, _ in common) else "yes"


def signatures(metric: Metric) -> list[str]:
    """Return the signature of a metric and, if it is composite, those of its parts."""
    return [metric.signature, *chain.from_iterable(map(signatures, getattr(metric, "parts", ())))]


def _fingerprints(signature: str) -> Iterable[tuple[str, str]]:
    """Yield every fingerprint in a signature, with its key."""
    for setting in re.split(r"[|\n]", signature):
        key, _, value = setting.rpartition(":")
        for fingerprint in _FINGERPRINT.findall(value):
            yield key.rpartition(":")[2].rpartition(".")[2], fingerprint


def _check_threshold(threshold: object, named: Mapping[str, Metric]) -> None:
    """Check that every threshold is a number, and of a requested metric."""
    limits = threshold if isinstance(threshold, Mapping) else {"": threshold}
    for name, value in limits.items():
        if name and name not in named:
            raise unknown("metric of this call", name, named)
        if value == CALIBRATED:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating) or value != value:
            raise ValueError(
                f"the threshold is {value!r}, but it must be a number, such as {THRESHOLD}, or {CALIBRATED!r}"
            )


def _named(metrics: Sequence[str | Metric] | Mapping[str, Metric]) -> dict[str, Metric]:
    """Return the built metrics by name: the given name, else the first word of the signature, or all of it if taken."""
    if isinstance(metrics, Mapping):
        return dict(metrics)
    named: dict[str, Metric] = {}
    for entry in metrics:
        metric = answersim.metric(entry) if isinstance(entry, str) else entry
        word = entry if isinstance(entry, str) else metric.signature.partition("|")[0]
        named[word if named.get(word, metric) == metric else metric.signature] = metric
    return named


def _limit(threshold: float | str | Mapping[str, float | str], name: str, signature: str) -> float:
    """Return the threshold of a metric: a number, or the score at which its shipped calibration says "equivalent"."""
    limit = threshold.get(name, THRESHOLD) if isinstance(threshold, Mapping) else threshold
    if limit != CALIBRATED:
        return float(limit)
    return float(first_score(find("shipped", signature).curve, HIGH))


def _suspected(
    choices: Sequence[TopCandidate], values: FloatArray, references: Mapping[int, int], limit: float
) -> tuple[SuspectedFalseNegative, ...]:
    """Return the irrelevant top candidates from the limit on, by the positions of their closest gold answers."""
    suspected = [
        SuspectedFalseNegative(
            choices[i].question.id,
            choices[i].question.text,
            candidate.id,
            candidate.text,
            choices[i].golds[reference],
            float(values[i]),
        )
        for i, reference in references.items()
        if (candidate := choices[i].candidate) and not choices[i].is_relevant and values[i] >= limit
    ]
    return tuple(sorted(suspected, key=lambda suspect: (-suspect.value, suspect.question_id)))
