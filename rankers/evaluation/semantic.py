"""Semantic judgement: how close in meaning a system's first choices are to the gold answers, and whose weights say so.

A first choice that counts as wrong may say what a gold answer says: then the label is to be doubted, not the system.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankers.evaluation import ties
from rankers.evaluation.measures import mean
from rankers.types import Candidate, FloatArray, Question, Questions, Run

if TYPE_CHECKING:
    from answersim import Metric, Scores

Shared: TypeAlias = Literal["yes", "partly", "no", "unknown"]

THRESHOLD = 0.8  # from which value on two answers are taken to mean the same, where nobody says otherwise

_FINGERPRINT = re.compile(r"(?<![0-9a-zA-Z])[0-9a-f]{12}(?![0-9a-zA-Z])")  # as answersim.checkpoints makes them
_TABLES = frozenset({"embedding", "embeddings", "table", "vectors", "words"})  # keys of a table of word vectors alone


class TopCandidate(NamedTuple):
    """What a system would answer to a question.

    Attributes:
        question: The question.
        candidate: Ranked first; None where the run says nothing of the question: then the answer is the empty one.
        right: Whether it is relevant, so that P@1 is 1.
        golds: The answers that it is judged against; none where none is known.
    """

    question: Question
    candidate: Candidate | None
    right: bool
    golds: tuple[str, ...]

    @property
    def text(self) -> str:
        """The answer; empty where there is none."""
        return self.candidate.text if self.candidate else ""


class SuspectedFalseNegative(NamedTuple):
    """A first choice that counts as wrong and means the same as a gold answer, so a metric says.

    Attributes:
        question_id: The question's id.
        question: Its text.
        choice_id: The candidate's id.
        choice: What was chosen.
        gold: The gold answer that is closest to it.
        value: What the metric says of the two.
    """

    question_id: str
    question: str
    choice_id: str
    choice: str
    gold: str
    value: float


@dataclass(frozen=True, eq=False)
class SemanticScores:
    """What one metric says of the first choices.

    Attributes:
        metric: Its name.
        signature: What decides its numbers.
        values: The best over the question's gold answers, shape (questions,); nan where no gold answer is known.
        wrong: Where the first choice is not relevant (P@1 is 0) and was judged, bool, shape (questions,).
        doubts: The wrong ones whose value reaches the threshold, the highest first.
        threshold: From which value on an answer is taken to mean the same.
        shares_weights: Whether the weights that judge also ranked; see ``shares_weights``. "unknown" where the run does
            not say what made it.
    """

    metric: str
    signature: str
    values: FloatArray
    wrong: NDArray[np.bool_]
    doubts: tuple[SuspectedFalseNegative, ...]
    threshold: float
    shares_weights: Shared

    @property
    def mean(self) -> float:
        """Over all questions with a gold answer; a right first choice is one itself, and counts what that does."""
        return mean(self.values)

    @property
    def mean_wrong(self) -> float:
        """Over the questions where the first choice is wrong: what P@1 cannot tell; nan where there is none."""
        return mean(self.values[self.wrong])


def judge(
    run: Run,
    questions: Questions,
    metrics: Sequence[str | Metric] | Mapping[str, Metric] = ("f1",),
    *,
    threshold: float | Mapping[str, float] = THRESHOLD,
    ties_seed: int = 0,
    lang: str | None = None,
    profile: str | None = None,
    progress: bool = False,
) -> dict[str, SemanticScores]:
    """What each metric says of the first choice of each question, by the metric's name.

    The gold answers are the question's own where it has any, else the texts of its relevant candidates; of several the
    closest counts. All questions and metrics go through one call of ``answersim.score_pairs``.

    Args:
        run: Equal scores are broken as for the ranking measures.
        questions: A question without a gold answer is not judged; one that the run says nothing of gets "". Their texts
            are what is judged: a run over misspelt questions names the same candidates, so give the questions as they
            were, and a wrong letter costs a system what it chooses and not how that is spelt.
        metrics: Names of ``answersim.names()``, or built metrics; or metrics by the names to report them under.
        threshold: From which value on a wrong first choice is listed as a doubt; one for all, or by metric.
        ties_seed: Of the order of equal scores.
        lang: Of the answers, for metrics that are given by name; "en" when not given.
        profile: The weights behind the names.
        progress: Whether long work may show a bar.

    Raises:
        LookupError: No metric has this name, or the run ranks first what has no text here.
        ValueError: ``lang`` or ``profile`` is given, but every metric is built already; or a threshold is of a metric
            that is not among these.
    """
    import answersim

    named = _named(metrics, lang, profile)
    _check_threshold(threshold, named)
    choices = list(top_candidates(run, questions, ties_seed))
    pairs = [(each.golds, each.text) for each in choices if each.golds]
    scored = answersim.score_pairs(pairs, list(named.values()), progress=progress)  # built: lang is in them
    return {
        name: _judgement(name, metric, scored[metric.signature], choices, _limit(threshold, name), run.signature)
        for name, metric in named.items()
    }


def top_candidates(run: Run, questions: Questions, ties_seed: int = 0) -> Iterator[TopCandidate]:
    """What the run would answer to each question, in order.

    Raises:
        LookupError: The best document of a question is none of its candidates, so that its text is not known.
    """
    for question in questions:
        golds = question.golds or tuple(each.text for each in question.candidates if questions.is_relevant(each))
        scores = run.scores.get(question.id)
        if not scores:
            yield TopCandidate(question, None, False, golds)
            continue
        best = ties.order(question.id, scores, ties_seed)[0]
        candidate = next((each for each in question.candidates if each.id == best), None)
        if candidate is None:
            raise LookupError(
                f"the run {run.name!r} ranks {best!r} first for the question {question.id!r}, which is none of its "
                "candidates: its text is not known here; rank the candidates only, or leave the metrics out"
            )
        yield TopCandidate(question, candidate, questions.is_relevant(candidate), golds)


def shares_weights(ranker: str, metric: str) -> Shared:
    """Whether the weights behind a metric also made the ranking: then it judges its own taste.

    Both are told by the fingerprints of weights in their signatures; of an adapted encoder, base and adapter count.

    Args:
        ranker: The signature of the ranker, or "" where it is not known.
        metric: The signature of the metric; of a combined one, its parts' too, one a line.

    Returns:
        "yes"; "partly" where the ranker only stands on the table of word vectors of those weights (the fingerprint is
        under the key embedding, embeddings, table, vectors or words); "no"; "unknown" where the metric has weights and
        the ranker's signature is not known.

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
    common = [(key, each) for key, each in _fingerprints(ranker) if each in judging]
    if not common:
        return "no"
    return "partly" if all(key in _TABLES for key, _ in common) else "yes"


def signatures(metric: Metric) -> list[str]:
    """The signature of a metric and, where it is made of others, those of its parts."""
    return [metric.signature, *(each for part in getattr(metric, "parts", ()) for each in signatures(part))]


def _fingerprints(signature: str) -> Iterable[tuple[str, str]]:
    """Every fingerprint in a signature, with the key under which it stands."""
    for setting in re.split(r"[|\n]", signature):
        key, _, value = setting.rpartition(":")
        for each in _FINGERPRINT.findall(value):
            yield key.rpartition(":")[2].rpartition(".")[2], each


def _check_threshold(threshold: float | Mapping[str, float], named: Mapping[str, Metric]) -> None:
    """Check that every threshold is a number, and of a metric that is asked for."""
    from answersim.errors import unknown

    limits = threshold if isinstance(threshold, Mapping) else {"": threshold}
    for name, value in limits.items():
        if name and name not in named:
            raise unknown("metric of this call", name, named)
        if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating) or value != value:
            raise ValueError(f"the threshold is {value!r}, but it is a number, such as {THRESHOLD}")


def _named(
    metrics: Sequence[str | Metric] | Mapping[str, Metric], lang: str | None, profile: str | None
) -> dict[str, Metric]:
    """The metrics, built, by name: the given one, else the first word of the signature; all of it if that is taken."""
    import answersim

    given = {name: value for name, value in {"lang": lang, "profile": profile}.items() if value is not None}
    if given and (isinstance(metrics, Mapping) or not any(isinstance(each, str) for each in metrics)):
        raise ValueError(
            f"{min(given)}={given[min(given)]!r} would be ignored, because every metric is built already; give it to "
            "answersim.metric, or name the metrics"
        )
    lang = "en" if lang is None else lang
    if isinstance(metrics, Mapping):
        return dict(metrics)

    named: dict[str, Metric] = {}
    for each in metrics:
        built = answersim.metric(each, lang=lang, profile=profile) if isinstance(each, str) else each
        word = each if isinstance(each, str) else built.signature.partition("|")[0]
        named[word if named.get(word, built) == built else built.signature] = built
    return named


def _limit(threshold: float | Mapping[str, float], name: str) -> float:
    if isinstance(threshold, Mapping):
        return threshold.get(name, THRESHOLD)
    return threshold


def _judgement(
    name: str, metric: Metric, scores: Scores, choices: Sequence[TopCandidate], limit: float, ranker: str
) -> SemanticScores:
    judged = [i for i, each in enumerate(choices) if each.golds]
    values = np.full(len(choices), np.nan)
    values[judged] = scores.values
    wrong = np.array([bool(each.golds) and not each.right for each in choices], dtype=np.bool_)
    doubts = [
        SuspectedFalseNegative(each.question.id, each.question.text, each.candidate.id, each.text, each.golds[reference], float(value))
        for each, reference, value in zip((choices[i] for i in judged), scores.references, scores.values, strict=True)
        if each.candidate and not each.right and value >= limit
    ]
    doubts.sort(key=lambda each: (-each.value, each.question_id))
    shares = shares_weights(ranker, "\n".join(signatures(metric)))
    return SemanticScores(name, metric.signature, values, wrong, tuple(doubts), limit, shares)
