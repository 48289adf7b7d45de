"""An empty cache."""

from __future__ import annotations

from pathlib import Path

import pytest

from answersim.scoring.cache import ScoreCache


@pytest.fixture
def cache(tmp_path: Path) -> ScoreCache:
    return ScoreCache(tmp_path / "scores")
