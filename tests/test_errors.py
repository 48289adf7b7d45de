"""The errors of the package: they can be pickled, and name a pair by its position in the whole."""

from __future__ import annotations

import pickle

import pytest

from answersim.errors import NonFiniteScoreError, renumbered


def test_a_non_finite_score_is_named_with_its_pair_shortened_and_its_metric() -> None:
    error = NonFiniteScoreError(4, float("inf"), "mine|v:1", "g" * 100, "p")
    assert isinstance(error, ValueError)
    assert str(error).startswith(
        f"the score of pair 5 (gold '{'g' * 57}...', prediction 'p') is inf, but a score is a "
    )
    assert "(mine|v:1)" in str(error)
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.index, copy.score, str(copy)) == (4, float("inf"), str(error))


@pytest.mark.parametrize(("positions", "expected"), [(0, 1), (100, 101), ([7, 3], 3)])
def test_the_position_is_that_of_the_whole(positions: int | list[int], expected: int) -> None:
    with pytest.raises(NonFiniteScoreError) as caught, renumbered(positions):
        raise NonFiniteScoreError(1, float("nan"), "mine|v:1", "a", "b")
    assert caught.value.index == expected
    assert f"pair {expected + 1} " in str(caught.value)
