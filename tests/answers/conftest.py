"""Files of two systems."""

import pytest

from tests.answers.made_tables import lines


@pytest.fixture
def files(tmp_path):
    """Two systems in an order of their own; only the first one has gold answers."""
    first = [{"id": i, "gold": [f"g{i}"], "question": f"q{i}", "pred": f"a{i}"} for i in range(4)]
    second = [{"id": str(i), "pred": f"b{i}"} for i in (3, 1, 0, 2)]
    return [lines(tmp_path / "a.jsonl", first), lines(tmp_path / "b.jsonl", second)]
