from __future__ import annotations

import pytest

from rankers.models.word_overlap import WordOverlap
from rankers.types import Ranker


@pytest.mark.parametrize(
    ("question", "candidate", "score"),
    [
        ("who wrote Faust", "Goethe wrote FAUST.", 2 / 3),
        ("who wrote Faust", "who? wrote! faust...", 1),
        ("who wrote Faust", "nobody knows", 0),
        ("to be or not to be", "be be be", 1 / 4),  # distinct words: to, be, or, not
        ("where is Straße 5", "straße 5", 1 / 2),
        ("", "anything", 0),
        ("?!", "?!", 0),
        ("who", "", 0),
    ],
)
def test_the_share_of_the_question_s_distinct_words(question: str, candidate: str, score: float) -> None:
    assert WordOverlap().score([question], [[candidate]])[0].tolist() == [pytest.approx(score)]


def test_one_number_a_candidate_in_order() -> None:
    scores = WordOverlap().score(["a b", "c"], [["a", "b a", "c"], []])
    assert [score.tolist() for score in scores] == [[0.5, 1.0, 0.0], []]


def test_it_is_a_ranker() -> None:
    assert isinstance(WordOverlap(), Ranker)
    assert WordOverlap().signature == "word-overlap"
