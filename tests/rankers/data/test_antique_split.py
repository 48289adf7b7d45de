from __future__ import annotations

from rankers.data.antique_split import DEV


def test_dev_has_200_questions() -> None:
    assert len(DEV) == 200
    assert all(name.isdigit() for name in DEV)
    assert {"1158088", "2704", "66151"} <= DEV  # three of those that OpenNIR lists
