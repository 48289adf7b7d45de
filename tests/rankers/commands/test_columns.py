from __future__ import annotations

import pytest

from rankers.commands.columns import column_table, names_in


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("nDCG@10 MAP", ["nDCG@10", "MAP"]),
        ("f1, bi-encoder,", ["f1", "bi-encoder"]),
        ("AP(rel=2,judged_only=True)@5 P@1", ["AP(rel=2,judged_only=True)@5", "P@1"]),
        ("", []),
    ],
)
def test_names_are_split_at_spaces_and_commas(text: str, names: list[str]) -> None:
    assert names_in(text) == names


def test_columns_are_as_wide_as_needed_and_long_cells_are_truncated() -> None:
    table = column_table(("a", "bb"), [("ccc", "d"), ("e" * 61, "f")])
    assert table.splitlines() == [f"a{' ' * 59}  bb", f"ccc{' ' * 57}  d", f"{'e' * 59}…  f"]
