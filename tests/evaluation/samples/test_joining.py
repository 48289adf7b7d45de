"""The transitive closure of equal answers, against brute force, and its rule for conflicts."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from answersim.evaluation.samples.joining import joined

SIZES = st.integers(1, 7)


def closure(n: int, equal: set[tuple[int, int]]) -> set[frozenset[int]]:
    """Return the connected parts, by growing each set until nothing is added."""
    parts = set()
    for start in range(n):
        held = {start}
        while more := {j for i, j in equal | {(j, i) for i, j in equal} if i in held} - held:
            held |= more
        parts.add(frozenset(held))
    return parts


@given(SIZES, st.data())
def test_without_conflicts_groups_are_the_transitive_closure(n: int, data: st.DataObject) -> None:
    pairs = list(combinations(range(n), 2))
    equal = data.draw(st.sets(st.sampled_from(pairs))) if pairs else set()
    found = joined([f"a{i}" for i in range(n)], [1] * n, dict.fromkeys(equal, 1))
    assert {frozenset(group) for group in found.groups} == closure(n, equal)
    assert found.conflicts == 0


@given(SIZES, st.data())
def test_no_group_has_two_different_answers_and_the_order_of_answers_is_irrelevant(n: int, data: st.DataObject) -> None:
    texts = [f"a{i}" for i in range(n)]
    counts = data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))
    outcomes = {pair: data.draw(st.sampled_from([-1, 0, 1])) for pair in combinations(range(n), 2)}
    found = joined(texts, counts, outcomes)
    for group in found.groups:
        assert all(outcomes[tuple(sorted(pair))] >= 0 for pair in combinations(group, 2))  # type: ignore[index]
    order = data.draw(st.permutations(range(n)))
    place = {old: new for new, old in enumerate(order)}
    moved = {tuple(sorted((place[i], place[j]))): outcome for (i, j), outcome in outcomes.items()}
    other = joined([texts[i] for i in order], [counts[i] for i in order], moved)  # type: ignore[arg-type]
    names = [[order[i] for i in group] for group in other.groups]
    assert names == [list(group) for group in found.groups]
    assert other.conflicts == found.conflicts


def test_frequent_answers_are_joined_first_and_a_conflict_is_counted() -> None:
    outcomes = {(0, 1): 1, (0, 2): 1, (1, 2): -1}  # b is equal to a and to c, which differ
    found = joined(["b", "a", "c"], [5, 1, 4], outcomes)
    assert found.groups == ((0, 2), (1,))
    assert found.conflicts == 1
