"""Groups of indistinguishable columns: the largest sets in which no two differ significantly."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence


def indistinguishable(members: Sequence[str], differing: Collection[tuple[str, str]]) -> list[tuple[str, ...]]:
    """Return the largest sets of members in which no two differ, each in the order of the members.

    A member may be in several sets: if the first and the second are indistinguishable, and the second and the third,
    this implies nothing for the first and the third. A member that differs from all others is alone. ``members``:
    names, best first. ``differing``: the pairs of them, in any order, that differ.

    >>> indistinguishable(["a", "b", "c"], [("a", "c")])
    [('a', 'b'), ('b', 'c')]

    Source: Bron & Kerbosch 1973, algorithm 457, for the maximal cliques; shown as the letters of Piepho 2004.
    """
    apart = {frozenset(pair) for pair in differing}
    near = {
        member: {neighbor for neighbor in members if neighbor != member and frozenset((member, neighbor)) not in apart}
        for member in members
    }
    places = {name: i for i, name in enumerate(members)}
    groups = [tuple(sorted(clique, key=places.__getitem__)) for clique in _cliques(set(), set(members), set(), near)]
    return sorted(groups, key=lambda group: [places[name] for name in group]) if members else []


def _cliques(
    chosen: set[str], open_: set[str], closed: set[str], near: dict[str, set[str]]
) -> Iterator[frozenset[str]]:
    if not open_ and not closed:
        yield frozenset(chosen)
        return
    pivot = max(sorted(open_ | closed), key=lambda name: len(near[name] & open_))
    for name in sorted(open_ - near[pivot]):
        yield from _cliques(chosen | {name}, open_ & near[name], closed & near[name], near)
        open_, closed = open_ - {name}, closed | {name}
