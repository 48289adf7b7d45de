"""Pairs without a label: two answers to one question, answers to other questions, sentences."""

from __future__ import annotations

import numpy as np
import pytest

from answersim.evaluation.data.system_answers import SystemAnswer
from answersim.training.data.pairs import TrainingPair
from tools.weights.pairs import mixture
from tools.weights.pairs.unlabeled_pairs import answer_pairs, sentence_pairs

QUESTIONS = {
    "Which city is the capital of France?": ("Paris", ["Paris", "Lyon", "The capital of France is Paris.", "", "Nice"]),
    "Which city is the capital of Italy?": ("Rome", ["Rome.", "The capital of Italy is, of course, Rome itself."]),
    "How many legs has a spider?": ("8", ["8", "six", "a spider has eight legs, as all arachnids have"]),
}
JUDGED = [
    SystemAnswer(question, (gold,), f"system{i}", answer, gold in answer, "train")
    for question, (gold, answers) in QUESTIONS.items()
    for i, answer in enumerate(answers)
]


def pairs_of(question: str, seed: int = 0) -> list[TrainingPair]:
    pairs = answer_pairs(JUDGED, rng=np.random.default_rng(seed))
    return [pair for pair in pairs if pair.question == question]


def test_no_pair_has_a_label_or_an_empty_text_or_one_text_twice() -> None:
    pairs = answer_pairs(JUDGED, rng=np.random.default_rng(0))
    assert pairs
    assert {(pair.label, pair.split, pair.source) for pair in pairs} == {(None, "train", "unlabeled:answers")}
    assert all(pair.first.strip() and pair.second.strip() and pair.first != pair.second for pair in pairs)
    assert len(set(pairs)) == len(pairs)


def test_sentences_are_paired_by_their_words_within_a_split() -> None:
    pytest.importorskip("bm25s")
    labeled = [
        TrainingPair("a man plays the guitar", "two dogs run in the snow", 0.0),
        TrainingPair("a woman plays the guitar", "three dogs sleep in the snow", 0.0),
        TrainingPair("a man plays the flute", "snow", 0.0, "dev"),
    ]
    pairs = sentence_pairs(labeled, rng=np.random.default_rng(0))
    together = {frozenset(pair[:2]) for pair in pairs if pair.split == "train"}
    assert frozenset(("a man plays the guitar", "a woman plays the guitar")) in together
    assert frozenset(("two dogs run in the snow", "three dogs sleep in the snow")) in together
    assert all(pair.label is None and pair.source == "unlabeled:sentences" for pair in pairs)


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("name", mixture.UNLABELED)
def test_the_sources_have_train_alone_and_no_pair_of_the_sas_sets(name: str, data_home) -> None:  # type: ignore[no-untyped-def]
    places = mixture.Places(data_home)
    pairs = mixture.load(name, places, "train", 0)
    assert len(pairs) > 5000
    assert {pair.label for pair in pairs} == {None}
    held_out = mixture._sas_pairs(places)
    assert not any(mixture._key(pair.first, pair.second) in held_out for pair in pairs)
    with pytest.raises(ValueError, match="has no pairs of the split 'dev'"):
        mixture.load(name, places, "dev", 0)
