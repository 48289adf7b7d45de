"""Synthetic pairs of answers."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import references
from benchmarks.made_answers import made_pairs


@pytest.fixture(autouse=True)
def _no_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANSWERSIM_DATA", raising=False)


def test_made_pairs_have_the_requested_length_and_follow_from_the_seed() -> None:
    first, second = (made_pairs(40, 100, 300, rng=np.random.default_rng(3)) for _ in range(2))
    assert first == second
    assert first != made_pairs(40, 100, 300, rng=np.random.default_rng(4))
    assert all(95 <= len(gold.split()) <= 310 for gold, _ in first)
    shares = references.squad_f1(first)
    assert 0.6 < shares.mean() < 0.95  # an edited copy: neither the text nor another one
    assert 1 <= sum(not gold.isascii() for gold, _ in first) <= 25
    assert all(pair.pred for pair in made_pairs(50, 1, 2, rng=np.random.default_rng(0)))
