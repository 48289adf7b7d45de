"""Cases in which every two values of different parameters occur together, far fewer than the whole product.

Most bugs of a combination depend on two of its values, so these cases find nearly all bugs that the product finds.
"""

from collections.abc import Hashable, Iterable, Sequence
from itertools import combinations
from typing import Any


def pairwise(*parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return cases, one value per parameter, in which every pair of values of two parameters occurs. Deterministic.

    Each case begins with a pair that is still missing. Every further parameter gets the value that adds most missing
    pairs, and among equal ones the least used value.

    >>> pairwise("ab", "xy", [1, 2])
    [('a', 'x', 1), ('a', 'y', 2), ('b', 'x', 2), ('b', 'y', 1)]
    """
    sizes = [len(values) for values in parameters]
    if len(sizes) < 2 or 0 in sizes:
        return [(value,) for value in parameters[0]] if len(sizes) == 1 else []
    # An insertion-ordered set of ((parameter, value), (parameter, value)), by their indices.
    missing: dict[frozenset[Hashable], None] = dict.fromkeys(
        frozenset({(first, i), (second, j)})
        for first, second in combinations(range(len(sizes)), 2)
        for i in range(sizes[first])
        for j in range(sizes[second])
    )
    uses = [[0] * size for size in sizes]
    cases = []
    while missing:
        case: dict[int, int] = dict(next(iter(missing)))  # type: ignore[arg-type] # two (parameter, value)
        for parameter in range(len(sizes)):
            if parameter not in case:
                case[parameter] = min(
                    range(sizes[parameter]),
                    key=lambda value: (-_added(missing, case, (parameter, value)), uses[parameter][value]),
                )
        for parameter, value in case.items():
            uses[parameter][value] += 1
        for pair in combinations(case.items(), 2):
            missing.pop(frozenset(pair), None)
        cases.append(tuple(parameters[parameter][case[parameter]] for parameter in range(len(sizes))))
    return cases


def _added(missing: Iterable[Any], case: dict[int, int], new: tuple[int, int]) -> int:
    return sum(frozenset({old, new}) in missing for old in case.items())  # type: ignore[operator] # a dictionary
