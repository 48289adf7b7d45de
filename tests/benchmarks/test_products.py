"""The operations of an encoder, counted by hand, and measured with a clock that is not the machine's."""

from __future__ import annotations

from itertools import count

import pytest

from benchmarks.products import Shape, multiplied_a_second, operations

SHAPE = Shape(layers=1, width=3, inner=5)


@pytest.mark.parametrize(
    ("lengths", "layers", "expected"),
    [
        ([], 1, 0),
        ([1], 1, 2 * (4 * 9 + 2 * 15 + 2 * 3)),  # attention of one token: twice 1 * 1 * 3
        ([2], 1, 2 * (2 * (4 * 9 + 2 * 15) + 2 * 4 * 3)),
        ([2], 6, 12 * (2 * (4 * 9 + 2 * 15) + 2 * 4 * 3)),
        ([1, 2], 1, 2 * (3 * (4 * 9 + 2 * 15) + 2 * (1 + 4) * 3)),
    ],
)
def test_operations_by_hand(lengths: list[int], layers: int, expected: int) -> None:
    assert operations(lengths, SHAPE._replace(layers=layers)) == expected


def test_operations_per_second_are_those_of_the_products_and_the_clock() -> None:
    pytest.importorskip("torch")
    ticks = count()
    speed = multiplied_a_second(SHAPE, "fp32", tokens=4, times=2, clock=lambda: float(next(ticks)))
    assert speed == 2 * 2 * 4 * (3 * 9 + 3 * 3 + 3 * 5 + 5 * 3)  # each round takes one second
