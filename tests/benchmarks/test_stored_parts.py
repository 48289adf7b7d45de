"""Parts of composites whose scores are stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

import answersim
from answersim._base.arrays import FloatArray
from answersim.metrics.composite.ensemble import AnswerSimilarity, named
from answersim.metrics.composite.typed import TypedMetric
from answersim.scoring.cache import ScoreCache
from answersim.types import Capabilities, Pair
from benchmarks.stored_parts import with_stored_parts

PAIRS = [Pair("a bc", "a"), Pair("a", "<b>a</b>"), Pair("11", "eleven")]
calls: list[int] = []


@dataclass(frozen=True)
class Network:
    """A metric that counts as a network: the share of words that are equal, and more with a question."""

    signature: str = "network|v:1"
    capabilities: ClassVar = Capabilities(cost="model", reads_questions=True)
    reads_questions: bool = True

    def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> FloatArray:
        calls.append(len(pairs))
        asked = [bool(question) for question in questions or [""] * len(pairs)]
        return np.array([0.5 * (set(a.split()) == set(b.split())) for a, b in pairs]) + 0.25 * np.array(asked)


def test_a_stored_part_runs_once_for_all_compositions_of_it(tmp_path: Path) -> None:
    calls.clear()
    store = ScoreCache(tmp_path)
    first = AnswerSimilarity((Network(),), named(("sas",), {"sas": 1.0}, 0.0))
    changed = AnswerSimilarity((Network(),), named(("sas",), {"sas": 2.0}, 1.0))
    for metric in (first, changed, TypedMetric(Network()), TypedMetric(first)):
        stored = with_stored_parts(metric, store)
        assert stored.signature == metric.signature
        assert stored(PAIRS).tolist() == metric(PAIRS).tolist()
        questions = ["?", "", "??"]
        scored = answersim.score_pairs(PAIRS, [stored], question=questions)
        assert next(iter(scored.values())).values.tolist() == metric(PAIRS, questions).tolist()
    assert sum(calls[::2]) > len(PAIRS)
    calls.clear()
    with_stored_parts(changed, store)(PAIRS)
    assert calls == []
