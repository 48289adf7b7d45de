"""The operations of an encoder, counted by hand, and measured with a clock that is not the machine's."""

from __future__ import annotations

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


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize("rounds", [(0.5, 4, 2, 3, 0.5, 9, 8, 7), (0.5, 9, 8, 7, 0.5, 4, 2, 3)])
def test_operations_per_second_are_those_of_the_best_round_of_the_faster_layout(
    rounds: tuple[float, ...], precision: str
) -> None:
    pytest.importorskip("torch")
    ticks = [0.0]
    for seconds in rounds:  # the first round of each of the two layouts does not count
        ticks += [ticks[-1] + seconds] * 2
    clock = iter(ticks)
    speed = multiplied_a_second(Shape(1, 2, 3), precision, "cpu", tokens=5, times=7, clock=lambda: next(clock))
    assert speed == 2 * 7 * 5 * (2 * 6 + 2 * 2 + 2 * 3 + 3 * 2) / 2.0
