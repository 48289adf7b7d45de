"""Groups without significant differences: all largest sets without a differing pair, found by trying every set."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from answersim.stats.groups import indistinguishable

MEMBERS = list("abcdef")


def by_trying(members, differing):
    """Every set without a differing pair that is part of no larger one."""
    apart = {frozenset(pair) for pair in differing}
    alike = [
        set(chosen)
        for size in range(1, len(members) + 1)
        for chosen in combinations(members, size)
        if not any(frozenset(pair) in apart for pair in combinations(chosen, 2))
    ]
    return {frozenset(one) for one in alike if not any(one < other for other in alike)}


@given(st.lists(st.sampled_from(list(combinations(MEMBERS, 2))), unique=True))
def test_they_are_the_largest_sets_in_which_no_two_differ(differing):
    result = indistinguishable(MEMBERS, differing)
    assert {frozenset(each) for each in result} == by_trying(MEMBERS, differing)
    assert len(result) == len(set(result))
    assert all(list(each) == sorted(each) for each in result)
    assert result == sorted(result)


def test_no_members_make_no_groups():
    assert indistinguishable([], []) == []
