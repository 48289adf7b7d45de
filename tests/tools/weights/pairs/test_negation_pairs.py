"""Pairs of statements about opposite states: every text says what its label claims, by a reader of the tests' own."""

from __future__ import annotations

import re

import numpy as np
import pytest

from answersim.training.data.pairs import TrainingPair
from tests.cases import every
from tools.weights.pairs import negation_pairs as negation_pairs_module
from tools.weights.pairs.negation_pairs import MINIMAL, SUBJECTS, antonyms, negation_pairs
from tools.weights.pairs.wordnet_pairs import Synset
from tools.weights.tables import table

LETTERS = "abcdefghijklmno"
COUPLES = [
    (f"x{a}{b}x", f"unx{a}{b}x") for a in LETTERS for b in LETTERS
]  # no word of a form, and none is a part of another word
DENIED = r"not|never|anything but|far from|no truth|in no way|myth|mistaken|wasn't|isn't|denied|mistake|wrong"


def dictionary() -> dict[str, Synset]:
    """Return a dictionary in which each first word has a pointer to its opposite."""
    found = {}
    for i, (word, opposite) in enumerate([*COUPLES, ("open", "closed"), ("two words", "one")]):
        found[f"a{i}"] = Synset(f"a{i}", (word,), (("!", f"o{i}", "0101"), ("&", f"o{i}", "0000")), "")
        found[f"o{i}"] = Synset(f"o{i}", (opposite,), (), "")
    return found | {"n1": Synset("n1", ("day",), (("!", "n2", "0101"),), ""), "n2": Synset("n2", ("night",), (), "")}


DICTIONARY = dictionary()


def drawn(size: int, split: str, seed: int = 0) -> list[TrainingPair]:
    return negation_pairs(DICTIONARY, size, split, rng=np.random.default_rng(seed))


def state(text: str, asked: str) -> bool:
    """Return whether a text says that the state ``asked`` applies, and not its opposite."""
    plain = asked.removeprefix("un")
    if bare := re.match(r"(?i)(yes|right|correct|sure|no|not really|wrong|incorrect)\b", text):
        return bare[1].lower() in ("yes", "right", "correct", "sure")
    words = re.findall(r"\b(?:un)?x[a-o]{2}x", text)
    assert {word.removeprefix("un") for word in words} == {plain}
    if len(words) == 2:  # one is denied and the other stated
        denied = re.search(r"(?:rather than|instead of|and not|thought that [\w ]+ is) ((?:un)?x[a-o]{2}x)", text, re.I)
        assert denied
        return denied[1] != asked
    return (words[0] == asked) != bool(re.search(rf"\b(?:{DENIED})\b", text))


@every("split", ["train", "dev"])
def test_texts_agree_if_and_only_if_the_label_is_1(split: str) -> None:
    for pair in drawn(3000, split):
        asked = (re.search(r"(\w+)\?", pair.question) or re.search(r"\b((?:un)?x[a-o]{2}x)", pair.first))[1]  # type: ignore[index]
        agree = state(pair.first, asked) == state(pair.second, asked)
        assert agree == bool(pair.label), pair
        assert pair.first != pair.second
        assert bool(pair.question) == (pair.source == "negation:asked")


def test_a_text_alone_says_nothing_about_the_label() -> None:
    pairs = drawn(20_000, "train")
    labels = np.array([pair.label for pair in pairs])
    assert labels.mean() == pytest.approx(0.5, abs=0.02)
    assert np.mean([bool(pair.question) for pair in pairs]) == pytest.approx(0.3, abs=0.02)
    for side in ("first", "second"):
        denied = np.array([bool(re.search(rf"\b(?:{DENIED})\b", getattr(pair, side))) for pair in pairs])
        assert labels[denied].mean() == pytest.approx(labels[~denied].mean(), abs=0.03)


def test_train_dev_and_minimal_pairs_share_no_couple_and_only_the_plainest_forms() -> None:
    train, dev = (antonyms(DICTIONARY, split) for split in ("train", "dev"))
    assert not set(train) & set(dev)
    assert sorted([*train, *dev]) == sorted(tuple(sorted(couple)) for couple in COUPLES)  # adjectives of one word
    assert 5 < len(dev) < 40
    texts = table(negation_pairs_module.__file__, "negation_pairs")
    train_forms, dev_forms = ({form for forms in texts[split].values() for form in forms} for split in ("train", "dev"))
    subjects = {subject for subject, *_ in MINIMAL["states"]}
    assert not subjects & set(SUBJECTS)
    assert not train_forms & dev_forms
    minimal = {form for forms in (MINIMAL["stated"], *MINIMAL["affirmed"]) for form in forms}
    assert minimal & (train_forms | dev_forms) == {"Yes", "No", "{S} is {a}.", "{S} is {b}."}


def test_pairs_depend_on_the_seed_and_a_split_without_forms_is_an_error() -> None:
    assert drawn(50, "train") == drawn(50, "train") != drawn(50, "train", seed=1)
    with pytest.raises(ValueError, match="split is 'test'"):
        drawn(1, "test")
    with pytest.raises(ValueError, match="no opposite adjectives"):
        negation_pairs({}, 1, "dev", rng=np.random.default_rng(0))
