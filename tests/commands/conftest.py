"""A table of answers, and a machine without weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from answersim._base.errors import CheckpointNotFoundError
from answersim.metrics.catalog import lookup
from answersim.metrics.neural import factories
from tests.command_line import TABLE


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "answers.csv"
    path.write_text(TABLE)
    return path


@pytest.fixture
def no_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without any weights."""

    def find(name: object, **how: object) -> Any:
        raise CheckpointNotFoundError(f"no weights for {name!r}. Tried: everything. To fix this: pip install them")

    lookup.release()  # what was built before is not searched
    monkeypatch.setattr(factories, "find", find)
