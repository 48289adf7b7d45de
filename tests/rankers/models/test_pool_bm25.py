"""BM25 by the word counts of the pool: equal to bm25s on an index of the pool."""

from __future__ import annotations

import numpy as np
import pytest

from rankers.models.bm25 import Bm25
from rankers.models.pool_bm25 import PoolBm25

POOL = ["the cat sat on the mat", "one dog met the cat", "no animal here", "cat cat cat"]


def test_it_is_bm25_with_the_counts_of_the_pool() -> None:
    (scores,) = PoolBm25().score(["which cat sat?"], [POOL])
    assert (scores == Bm25.fit(POOL).score(["which cat sat?"], [POOL])[0]).all()
    assert scores.argmax() == 0
    assert scores[2] == 0


def test_each_pool_is_counted_by_itself() -> None:
    two = PoolBm25().score(["cat", "cat"], [POOL, POOL[:2]])
    assert (two[0] == PoolBm25().score(["cat"], [POOL])[0]).all()
    assert (two[1] == PoolBm25().score(["cat"], [POOL[:2]])[0]).all()
    assert two[0][0] != two[1][0]
    assert PoolBm25().score(["cat"], [[]])[0].shape == (0,)


def test_it_equals_the_library() -> None:
    bm25s = pytest.importorskip("bm25s")
    tokens = [text.split() for text in POOL]
    index = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    index.index(tokens, show_progress=False)
    expected = index.get_scores(["cat", "sat"])
    (scores,) = PoolBm25().score(["cat sat"], [POOL])
    np.testing.assert_allclose(scores, expected, rtol=1e-5)
