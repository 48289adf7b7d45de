"""Blocks of four rows, and an empty cache."""

from __future__ import annotations

from pathlib import Path

import pytest

from answersim.io import chunks
from answersim.scoring.cache import ScoreCache


@pytest.fixture
def _pieces_of_four(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "ROWS", 4)


@pytest.fixture
def cache(tmp_path: Path) -> ScoreCache:
    return ScoreCache(tmp_path / "scores")
