"""What a cross-encoder is trained on: no training pair is held out, and every pair has a label."""

import pytest

from answersim.training.cross_encoder.inputs import SOURCE, from_pairs, without
from answersim.training.data.pairs import TrainingPair
from tests.cases import every

DEV = [TrainingPair("A dog.", "a cat", 1.0, "dev"), TrainingPair("red", "blue", 0.0, "dev")]


def test_pairs_are_one_pool_and_one_held_out_set_per_split(pairs):
    inputs = from_pairs(pairs, {"split": "as in the file"})
    assert {name: len(pool.pairs) for name, pool in inputs.pools.items()} == {SOURCE: 18}
    assert inputs.pools[SOURCE].take == 0  # all, each once
    assert [len(inputs.dev[SOURCE]), len(inputs.test[SOURCE])] == [8, 8]
    assert (inputs.removed, inputs.metadata, inputs.teacher) == (0, {"split": "as in the file"}, None)
    assert from_pairs(pairs[:26], {}).test == {}


def test_other_data_has_another_digest(pairs):
    changed = [pairs[0]._replace(label=0.5), *pairs[1:]]
    digests = {from_pairs(some, {}).sha256[SOURCE] for some in (pairs, pairs, changed, pairs[:-1])}
    assert len(digests) == 3


def test_a_training_pair_that_is_held_out_in_either_order_is_left_out_and_counted():
    kept = TrainingPair("A dog.", "blue", 0.5)
    inputs = from_pairs([kept, TrainingPair("A CAT", "a dog!", 0.9), *DEV], {})
    assert inputs.pools[SOURCE].pairs == [kept]
    assert inputs.removed == 1
    assert without([kept], [DEV, [kept._replace(first="blue", second="a dog")]]) == []


@every(
    ("pairs", "message"),
    [
        ([TrainingPair("a cat", "A dog", 1.0), *DEV], "all 1 training pairs are in dev or test too"),
        ([TrainingPair("a", "b", None), *DEV], "1 of 3 pairs have no label yet"),
        (DEV, "there are no pairs of the split 'train' among these 2"),
        ([TrainingPair("a", "b", 1.0), DEV[0]], "all 1 dev pairs have the label 1.0"),
    ],
)
def test_pairs_that_cannot_be_trained_on_are_an_error(pairs, message):
    with pytest.raises(ValueError, match=message):
        from_pairs(pairs, {})
