"""Draws and shares that all sources of training pairs use."""

import numpy as np
import pytest

from tools.weights.pairs.draws import draw_one, share


def test_each_item_is_drawn_as_often():
    rng = np.random.default_rng(0)
    drawn = [draw_one("abcd", rng) for _ in range(4000)]
    assert [drawn.count(item) / 4000 for item in "abcd"] == pytest.approx([0.25] * 4, abs=0.03)


def test_shares_are_spread_evenly_and_depend_on_the_text_alone():
    shares = [share(f"question {i}") for i in range(4000)]
    assert np.quantile(shares, [0, 0.1, 0.5, 0.9, 1]) == pytest.approx([0, 0.1, 0.5, 0.9, 1], abs=0.03)
    assert shares == [share(f"question {i}") for i in range(4000)]
