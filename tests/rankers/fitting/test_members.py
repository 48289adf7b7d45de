"""What of a training ranks is found by name; committees are tested with the trainings they are of."""

from __future__ import annotations

import pytest

from rankers.models import late_interaction, neural_ranker, store
from rankers.models.neural_ranker import NeuralRanker
from rankers.modules import words
from rankers.modules.scoring import Lengths
from rankers.modules.words import InputConfig
from rankers.systems.members import ranker, with_binary_codes


@pytest.fixture
def late(tiny):
    config = late_interaction.Config(str(tiny("bert")), project=8, question_length=5, answer_length=9)
    inputs = words.build(InputConfig(checkpoint=str(tiny("bert"))), [])
    return NeuralRanker(
        "late-interaction", config, inputs, Lengths(5, 9), neural_ranker.build("late-interaction", config, inputs, 0)
    )


def test_the_model_and_the_generator_rank_as_they_were_kept(late, tmp_path):
    for name in ("model", "generator"):
        store.save(late, tmp_path / name)
        assert ranker(tmp_path, name) == late


def test_a_ranker_without_codes_has_no_signs(late, tmp_path):
    store.save(late, tmp_path / "model")
    with pytest.raises(ValueError, match="a late-interaction ranker without codes has no signs"):
        ranker(tmp_path, "signs")
    with pytest.raises(ValueError, match="has no signs"):
        with_binary_codes(late)


def test_what_is_nothing_that_ranks_is_refused(late, tmp_path):
    store.save(late, tmp_path / "model")
    with pytest.raises(LookupError, match="no committee is called 'sign'"):
        ranker(tmp_path, "sign")
