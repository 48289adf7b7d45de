"""Hedges: the longest phrase counts, before and after a value, and the share from which a hedged number contradicts."""

import pytest

from answersim.typed import compare
from answersim.typed.hedge import ABOVE, BELOW, JUST_ABOVE, NEAR, Hedge, ahead, both, leading, trailing
from tests.cases import every


@pytest.mark.parametrize(
    ("words", "hedge", "dates_only", "end"),
    [
        *(("over 300", ABOVE, False, 1), ("just over 300", JUST_ABOVE, False, 2), ("no more than 5", BELOW, False, 3)),
        *(("before 1945", BELOW, True, 1), ("bis zu 10", BELOW, False, 2), ("bis 1945", BELOW, True, 1)),
    ],
)
def test_the_longest_phrase_before_a_value_counts(words, hedge, dates_only, end):
    low = tuple(words.split())
    assert leading(low, 0) == (hedge, dates_only, end)
    assert ahead(low, end) == (hedge, dates_only)


def test_the_longest_phrase_after_a_value_counts():
    assert trailing(("300", "or", "more", "of"), 1) == (ABOVE, 3)
    assert trailing(("300", "or", "400"), 1) is None
    assert leading(("or", "so"), 0) is None


def test_contradicting_hedges_together_state_that_a_value_is_near():
    assert both(ABOVE, BELOW) == NEAR
    assert both(ABOVE, Hedge()) == ABOVE


@every(
    ("hedged", "number", "relation"),
    [
        *(("about 500", "525", "near"), ("about 500", "600", "none")),
        *(
            ("about 300", "401", "different"),
            ("just over 300", "269", "different"),
            ("over 300", "271", "none"),
        ),
        *(
            ("over 300", "269", "different"),
            ("over 300", "600", "near"),
            ("about 1850", "1852", "none"),
            ("over 300", "9,999", "none"),
        ),
        *(("under 300", "334", "different"), ("under 300", "1", "none"), ("about 0", "1", "none")),
        *(
            ("about -300", "-304", "near"),
            ("over -300", "-400", "different"),
            ("under -300", "-200", "different"),
        ),
    ],
)
def test_a_hedged_number_contradicts_only_a_far_one(hedged, number, relation):
    for result in (compare(hedged, number), compare(number, hedged)):
        assert result.relation == relation, result.reason
