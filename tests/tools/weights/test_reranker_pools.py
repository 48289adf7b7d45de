"""The pools of the reranker: each positive is a negative equally often, and nothing is a positive twice."""

from __future__ import annotations

from collections import Counter

import numpy as np

from tools.weights import reranker_pools
from tools.weights.reranker_pools import Example


def example(question: str, positive: str, *own: str) -> Example:
    return Example(question, positive, own)


def test_each_positive_is_a_negative_of_as_many_other_questions() -> None:
    examples = [example(f"who wrote book {i}", f"the book number {i} was written by author {i}") for i in range(12)]
    groups = list(reranker_pools._groups(examples, 4, 0))
    wrong = Counter(answer.text for group in groups for answer in group.answers if not answer.grade)
    assert set(wrong) == {one.positive for one in examples}
    assert set(wrong.values()) == {4}
    assert [group.answers[0].text for group in groups] == [one.positive for one in examples]
    assert all(group.answers[0].grade == 1 for group in groups)


def test_negatives_from_anywhere_are_balanced_and_of_other_questions() -> None:
    places = reranker_pools.anywhere(7, 3, 0)
    assert places.shape == (7, 3)
    assert np.bincount(places.ravel()).tolist() == [3] * 7
    for own, row in enumerate(places.tolist()):
        assert own not in row
        assert len(set(row)) == 3
    assert (reranker_pools.anywhere(7, 3, 1) != places).any()
    assert reranker_pools.anywhere(3, 9, 0).shape == (3, 2)  # no more than there are
    assert reranker_pools.anywhere(5, 0, 0).shape == (5, 0)


def test_the_selected_negatives_of_a_question_depend_on_the_draw_alone() -> None:
    from rankers.types import Candidate, Question, Questions

    candidates = (Candidate("p", "right", 1), *(Candidate(f"n{i}", f"wrong {i}", 0) for i in range(9)))
    split = Questions("made", "dev", (Question("q", "what?", candidates),))
    drawn = [next(reranker_pools._examples(split, 3, np.random.default_rng(seed))) for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert len(drawn[0].own) == 3
