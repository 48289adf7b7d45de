"""The vocabulary of METEOR: words as numbers, and what is kept of them from call to call."""

import sys
import threading
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answersim.lexical import meteor as meteor_room
from answersim.lexical import meteor_vocabulary
from answersim.lexical.meteor import Meteor
from answersim.lexical.meteor_vocabulary import Vocabularies, Vocabulary
from answersim.types import Pair

ANSWERS = st.lists(st.sampled_from(["a-b", "B", "c", "a", "-", "A-c-a"]), max_size=9).map(" ".join)


def parted(piece: str) -> list[str]:
    return [word for word in piece.split("-") if word]


def vocabulary(stem: Callable[[str], str] = str, near: Callable[[str], set[str]] = lambda stem: set()) -> Vocabulary:
    return Vocabulary(str.split, parted, stem, near)


@given(st.lists(ANSWERS, max_size=6), st.lists(st.integers(0, 5), max_size=4))
def test_numbers_are_those_of_the_words_in_lower_case(answers, again):
    answers += [answers[i] for i in again if i < len(answers)]
    expected = [[word.lower() for piece in answer.split() for word in parted(piece)] for answer in answers]
    known = vocabulary()
    for _ in range(2):
        result, lengths = known.numbered(answers)
        assert lengths.tolist() == [len(words) for words in expected]
        assert [known.words.names[number] for number in result.tolist()] == [word for each in expected for word in each]


def test_answers_pieces_words_and_stems_are_worked_out_once():
    asked: Counter[str] = Counter()

    def noting(what: str) -> Callable[[str], str]:
        return lambda text: asked.update([f"{what} {text}"]) or text

    known = Vocabulary(
        lambda answer: noting("answer")(answer).split(),
        lambda piece: parted(noting("piece")(piece)),
        noting("stem"),
        lambda stem: {noting("near")(stem)},
    )
    words, _ = known.numbered(["a-b b", "b", "a-b b"])
    for _ in range(2):
        known.near(known.stemmed(words))
    assert dict(asked) == dict.fromkeys(
        ["answer a-b b", "answer b", "piece a-b", "piece b", "stem a", "stem b", "near a", "near b"], 1
    )


def test_synonyms_are_numbers_of_stems():
    near = {"x": {"y", "z"}, "y": set(), "z": {"x"}}
    known = vocabulary(near=near.__getitem__)
    stems = known.stemmed(known.numbered(["z x y x"]).words)
    result, sizes = known.near(stems)
    assert sizes.tolist() == [1, 2, 0, 2]
    names = [{known.stems.names[i] for i in part} for part in np.split(result, np.cumsum(sizes)[:-1])]
    assert names == [{"x"}, {"y", "z"}, set(), {"y", "z"}]


def test_a_vocabulary_is_kept_until_it_is_large(monkeypatch):
    monkeypatch.setattr(meteor_vocabulary, "_MOST", 6)
    kept = Vocabularies(vocabulary)
    with kept.lent() as first:
        first.numbered(["abc abc", "def abc"])
    with kept.lent() as second:
        assert second is first
        second.numbered(["g"])
    with kept.lent() as third:
        assert third is not first


def test_a_vocabulary_is_lent_to_one_at_a_time():
    kept = Vocabularies(vocabulary)
    with kept.lent() as first, kept.lent() as second:
        assert second is not first


def test_what_an_error_left_half_written_is_not_kept():
    kept = Vocabularies(vocabulary)
    with pytest.raises(KeyboardInterrupt), kept.lent() as first:
        raise KeyboardInterrupt
    with kept.lent() as second:
        assert second is not first


def test_threads_have_the_numbers_of_one(monkeypatch):
    monkeypatch.setattr(meteor_room, "_LONG", 0)
    monkeypatch.setattr(meteor_room, "_ENOUGH", 0)
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{i}" for i in rng.integers(0, 5000, 60)) for _ in range(240)]
    pairs = [Pair(*each) for each in zip(texts[::2], texts[1::2], strict=True)]
    metric = Meteor("pl")
    expected = [metric([pair])[0] for pair in pairs]
    meteor_room._tools.cache_clear()
    found: dict[int, list[float]] = {}
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [
            threading.Thread(target=lambda i=i: found.update({i: [metric([pair])[0] for pair in pairs]}))
            for i in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert found == dict.fromkeys(range(4), expected)
