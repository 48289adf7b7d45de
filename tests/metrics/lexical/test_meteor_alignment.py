"""The alignment of METEOR: which word of one answer is matched with which word of the other."""

import random

import pytest

from answersim.metrics.lexical.meteor import meteor
from answersim.metrics.lexical.meteor_alignment import NONE, counts, partners
from tests.cases import every
from tests.metrics.lexical.by_hand import near, stem

# gold, pred, the position of the gold word of each predicted word
ALIGNMENTS = [
    ("a b a", "a", [2]),  # the rightmost gold word
    ("a", "a b a", [NONE, NONE, 0]),  # the rightmost predicted word goes first
    ("a a", "a a", [0, 1]),
    ("great large great", "big big", [1, 2]),  # the rightmost among all synonyms
    ("cats cat", "cat cats", [1, 0]),  # equal words before equal stems
    ("auto cars", "car", [1]),  # equal stems before synonyms
    ("auto cars", "car car", [0, 1]),
    ("x y", "z", [NONE]),
]


@every(("gold", "pred", "expected"), ALIGNMENTS)
def test_words_are_matched_from_the_right_by_form_then_stem_then_synonym(gold, pred, expected):
    assert partners(gold.split(), pred.split(), stem=stem, synonyms=near) == expected


# gold, pred, matches and chunks
COUNTS = [
    ("a b a", "a", 1, 1),
    ("x a b", "a b", 2, 1),
    ("great large great", "big big", 2, 1),  # the rightmost among all synonyms
    ("large big x great", "big x big", 3, 3),  # the first "big" takes "great", as the last one took "big"
    ("auto cars", "car car", 2, 1),  # a stem, then a synonym
    ("stems", "roots", 0, 0),
    ("car", "auto auto", 1, 1),  # the right one of both takes it
    ("a b", "b a", 2, 2),
    ("on the mat sat", "the mat sat on", 4, 2),
    ("a", "", 0, 0),
    ("", "a", 0, 0),
    ("", "", 0, 0),
]


@every(("gold", "pred", "matches", "chunks"), COUNTS)
def test_matches_and_chunks_are_those_by_hand(gold, pred, matches, chunks):
    assert counts(gold.split(), pred.split(), stem=stem, synonyms=near) == (matches, chunks)


@pytest.mark.parametrize("vocabulary", [50, 100_000])
def test_two_hundred_thousand_words_are_not_all_compared_with_each_other(vocabulary):
    rng = random.Random(0)
    gold, pred = ([f"w{rng.randrange(vocabulary)}" for _ in range(200_000)] for _ in range(2))
    calls = {"stem": 0, "synonyms": 0}

    def stem(word: str) -> str:
        calls["stem"] += 1
        return word[:-1]

    def synonyms(word: str) -> set[str]:
        calls["synonyms"] += 1
        return {f"{word}{i}" for i in range(9)}

    meteor(gold, pred, stem=stem, synonyms=synonyms)
    assert max(calls.values()) <= 400_000  # once per word of both, not per pair of words
