"""The leak of a split: on made-up sets that leak in each way or not, and on the corpora that are known to."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankers import data
from rankers.data.leaks import Leak, leak
from rankers.types import Candidate, Question, Questions


def made(split: str, *pools: dict[str, int]) -> Questions:
    items = (
        Question(
            f"{split}{i}",
            f"question {i} of {split}?",
            tuple(Candidate(f"c{j}", *each) for j, each in enumerate(p.items())),
        )
        for i, p in enumerate(pools)
    )
    return Questions("made", split, tuple(items))


TEST = made("test", {"right one": 1, "wrong a": 0, "wrong b": 0, "wrong c": 0}, {"right two": 1, "wrong d": 0})


def test_a_split_that_shares_no_answer_leaks_nothing() -> None:
    result = leak(made("train", {"another": 1, "else": 0}), TEST)
    assert result == Leak(4, 0, 2, 0, by_label=0.375, by_opposite=0.375, by_chance=0.375)


def test_wrong_answers_of_train_that_are_wrong_again_give_the_right_ones_away() -> None:
    train = made("train", {"x": 1, "Wrong  A": 0, "wrong b": 0}, {"y": 1, "wrong c": 0, "wrong d": 0})
    result = leak(train, TEST)
    assert (result.known_negatives, result.negatives, result.misleading_positives) == (4, 4, 0)
    assert (result.by_label, result.by_opposite, result.best_blind) == (1.0, 0.0, 1.0)


def test_right_answers_that_were_wrong_in_train_give_themselves_away() -> None:
    train = made("train", {"x": 1, "right one": 0}, {"y": 1, "right two": 0})
    result = leak(train, TEST)
    assert (result.known_negatives, result.misleading_positives, result.positives) == (0, 2, 2)
    assert (result.by_label, result.by_opposite, result.best_blind) == (0.0, 1.0, 1.0)


def test_an_answer_that_is_right_as_often_as_wrong_in_train_is_ranked_by_neither() -> None:
    result = leak(made("train", {"wrong a": 1}, {"wrong a": 0}), TEST)
    assert (result.known_negatives, result.by_label) == (1, 0.375)


def test_a_split_without_a_positive_cannot_be_measured() -> None:
    with pytest.raises(ValueError, match="no question of made test has a relevant candidate"):
        leak(TEST, made("test", {"a": 0}))


def test_the_toy_set_does_not_leak() -> None:
    result = leak(data.load("toy", "train"), data.load("toy", "test"))
    assert result.known_negatives == result.misleading_positives == 0
    assert result.best_blind == result.by_chance


@pytest.mark.data
def test_the_leak_of_wikiqa(data_home: Path) -> None:
    result = leak(data.load("wikiqa", "train", home=data_home), data.load("wikiqa", "test", home=data_home))
    assert (result.known_negatives, result.misleading_positives) == (151, 9)
