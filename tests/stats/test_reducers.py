"""Reducers: checked against slow loops, in any order of the columns."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answersim.stats.reducers import REDUCERS, reduced

SCORES = st.lists(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=3, max_size=3), min_size=1, max_size=6)


def slow(row, how):
    if how == "majority":
        counts = Counter(row)
        return np.mean([score for score, times in counts.items() if times == max(counts.values())])
    return {"mean": np.mean, "max": max, "min": min}[how](row)


@given(SCORES, st.sampled_from(list(REDUCERS)))
def test_each_row_is_reduced_by_itself(columns, how):
    found = reduced(columns, how)
    assert found.tolist() == pytest.approx([slow([column[i] for column in columns], how) for i in range(3)])
    assert reduced(columns[::-1], how).tolist() == pytest.approx(found.tolist())


def test_an_unknown_reducer_is_named_with_the_nearest():
    with pytest.raises(LookupError, match="no reducer is called 'majorty'; did you mean 'majority'"):
        reduced([[1.0]], "majorty")
