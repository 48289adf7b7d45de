"""The systems without a network to train."""

from __future__ import annotations

import pytest

from rankers.models.baselines import PoolBm25
from rankers.systems import baselines, catalog
from rankers.types import Candidate, Question, Questions
from tests.cases import every

TRAIN = Questions("made", "train", (Question("q", "where is it?", (Candidate("a", "on the table", 1),)),))


@pytest.mark.parametrize("name", ["random", "word-overlap"])
def test_a_system_that_reads_no_questions_is_built_without_them(name):
    system = baselines.SYSTEMS[name]
    assert system.reads == ""
    assert system.make(None, 3) == system.make(TRAIN, 3)


def test_bm25_counts_the_words_of_the_training_answers_or_else_of_the_candidates():
    system = baselines.SYSTEMS["bm25"]
    other = Questions("made", "train", (Question("q", "where?", (Candidate("a", "in a boat", 1),)),))
    assert system.make(TRAIN, 0).signature != system.make(other, 0).signature
    assert system.make(None, 0) == PoolBm25()


@every(("preset", "layers"), [("smoke", 2), ("cpu", 2), ("paper", 6)])
def test_a_preset_names_the_layers_that_are_adapted(preset, layers):
    config = catalog.config(baselines.HYBRID, preset)
    assert config.network.unfrozen_layers == layers
    assert config.network.lora_r > 0
    assert config.inputs.checkpoint == config.network.checkpoint
    assert (config.recipe.loss, config.recipe.keep, config.recipe.dev_measure) == ("listwise", "last", "MRR")


def test_texts_are_checked_and_read_to_the_same_length():
    config = catalog.config(baselines.HYBRID, "cpu")
    lengths = (config.recipe.question_length, config.recipe.answer_length)
    assert lengths == (config.network.question_length, config.network.answer_length)


def test_the_smoke_preset_is_the_training_in_small():
    small, whole = (catalog.config(baselines.HYBRID, preset).recipe for preset in ("smoke", "cpu"))
    assert (small.loss, small.learning_rate, small.schedule) == (whole.loss, whole.learning_rate, whole.schedule)
    assert small.epochs < whole.epochs
    assert 0 < small.limit < 50
