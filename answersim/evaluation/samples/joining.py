"""Groups of answers: the transitive closure of what is equal, in which no two answers of a group are different."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def joined(
    texts: Sequence[str], counts: Sequence[int], outcomes: Mapping[tuple[int, int], int]
) -> tuple[tuple[tuple[int, ...], ...], int]:
    """Return the groups of answers, from what is known of their pairs, and the number of conflicts.

    Equal pairs are joined one after another, unless that would bring two different answers into one group. The pairs of
    frequent answers are first: by the smaller count, then the larger one, then the texts. So the groups do not depend
    on the order of the answers. The result has the positions of the answers of each group: the largest group first, and
    in it the most frequent answer, or the shortest of these. A conflict is an equal pair that is in two groups, because
    joining them would join different answers. ``outcomes``: by two positions, the smaller first: 1 if the answers are
    equal and -1 if they are different.

    >>> joined(["1/2", "0.5", "one half", "2"], [3, 2, 1, 1], {(0, 1): 1, (1, 2): 1, (0, 3): -1})[0]
    ((0, 1, 2), (3,))
    >>> joined(["a", "b", "c"], [3, 2, 1], {(0, 1): 1, (1, 2): 1, (0, 2): -1})  # c is equal to b and not to a
    (((0, 1), (2,)), 1)
    """

    def order(pair: tuple[int, int]) -> tuple[int, int, list[str]]:
        mine = [counts[i] for i in pair]
        return -min(mine), -max(mine), sorted(texts[i] for i in pair)

    members: dict[int, set[int]] = {i: {i} for i in range(len(texts))}
    of = list(range(len(texts)))
    enemies: dict[int, set[int]] = {i: set() for i in range(len(texts))}
    for (i, j), outcome in outcomes.items():
        if outcome < 0:
            enemies[i].add(j)
            enemies[j].add(i)
    conflicts = 0
    for i, j in sorted((pair for pair, outcome in outcomes.items() if outcome > 0), key=order):
        group, other_group = of[i], of[j]
        if group == other_group:
            continue
        if any(enemies[member] & members[other_group] for member in members[group]):
            conflicts += 1
            continue
        members[group] |= members.pop(other_group)
        for member in members[group]:
            of[member] = group
    ranked = [sorted(group, key=lambda i: (-counts[i], len(texts[i]), texts[i])) for group in members.values()]
    ranked.sort(key=lambda group: (-sum(counts[i] for i in group), texts[group[0]]))
    return tuple(map(tuple, ranked)), conflicts
