"""The systems without a network to train."""

from __future__ import annotations

import pytest

from rankers.models.bm25 import PoolBm25
from rankers.systems import baselines
from rankers.types import Candidate, Question, Questions

TRAIN = Questions("made", "train", (Question("q", "where is it?", (Candidate("a", "on the table", 1),)),))


@pytest.mark.parametrize("name", ["random", "word-overlap"])
def test_a_system_that_reads_no_questions_is_built_without_them(name: str) -> None:
    system = baselines.SYSTEMS[name]
    assert system.reads == ""
    assert system.make(None, 3) == system.make(TRAIN, 3)


def test_the_random_order_depends_on_the_seed_and_word_overlap_does_not() -> None:
    random, overlap = baselines.SYSTEMS["random"], baselines.SYSTEMS["word-overlap"]
    assert random.make(None, 0).signature != random.make(None, 1).signature
    assert overlap.make(None, 0).signature == overlap.make(None, 1).signature


def test_bm25_counts_the_words_of_the_training_answers_or_else_of_the_candidates() -> None:
    system = baselines.SYSTEMS["bm25"]
    other = Questions("made", "train", (Question("q", "where?", (Candidate("a", "in a boat", 1),)),))
    assert system.make(TRAIN, 0).signature != system.make(other, 0).signature
    assert system.make(None, 0) == PoolBm25()


def test_each_system_has_a_description() -> None:
    assert all(system.summary for system in baselines.SYSTEMS.values())
