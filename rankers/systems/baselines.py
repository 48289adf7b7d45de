"""The systems without a paper: those that learn nothing or word counts, and the trained hybrid."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from answersim.metrics.checkpoints.profiles import SHIPPED
from rankers.models import baselines, minilm
from rankers.training.definitions import LABELS, Trained, Training, TrainingConfig, Untrained

if TYPE_CHECKING:
    from rankers.types import Questions, Ranker


RERANKER_ADAPTER = "rerank-minilm"  # in answersim/metrics/neural/adapters
RERANKER_LATE = 0.7  # the weight of its MaxSim; chosen on dev sets: benchmarks/results/reranking.md


def _make(name: str, questions: Questions | None, seed: int) -> Ranker:
    if name == "answer-only":
        if questions is None:
            raise ValueError(
                "answer-only learns from labels of candidates: give it training questions, as rankers.fit does"
            )
        return baselines.AnswerOnly.fit(questions)
    if name == "bm25":
        if questions is None:
            return baselines.PoolBm25()
        return baselines.Bm25.fit([candidate.text for question in questions for candidate in question.candidates])
    if name == "minilm-reranker":
        return minilm.MiniLmHybrid(late=RERANKER_LATE, adapter=SHIPPED / RERANKER_ADAPTER)
    others = {
        "word-overlap": baselines.WordOverlap,
        "minilm-biencoder": minilm.MiniLmBiEncoder,
        "minilm-maxsim": minilm.MiniLmMaxSim,
        "minilm-hybrid": minilm.MiniLmHybrid,
    }
    return baselines.RandomOrder(seed) if name == "random" else others[name]()


_UNTRAINED = {  # by name, the part of the training questions that a system uses, and a description
    "random": ("", "a random order, by a hash of seed, question and candidate"),
    "answer-only": (LABELS, "never reads the question: words and training labels of a candidate"),
    "word-overlap": ("", "the share of the words of the question that the candidate has"),
    "bm25": (
        "word counts",
        "BM25 with the word counts of the given candidates, or if trained of the training answers",
    ),
    "minilm-biencoder": ("", "cosine of the vectors of all-MiniLM-L6-v2, without further training"),
    "minilm-maxsim": ("", "MaxSim over the token states of all-MiniLM-L6-v2, without further training"),
    "minilm-hybrid": ("", "minilm-biencoder plus minilm-maxsim, from one pass; the default"),
    "minilm-reranker": ("", "minilm-hybrid with an adapter that was trained here and ships"),
}
SYSTEMS: Mapping[str, Untrained] = {
    name: Untrained(partial(_make, name), reads, summary) for name, (reads, summary) in _UNTRAINED.items()
}
HYBRID = "hybrid"


def _config(preset: str, _: str) -> TrainingConfig:
    from rankers.models.hybrid import configured

    return configured(preset)


TRAININGS = {HYBRID: Training(HYBRID, _config)}
TRAINED = {HYBRID: Trained(HYBRID, "model", "cosine plus MaxSim over an encoder's token states, trained")}
