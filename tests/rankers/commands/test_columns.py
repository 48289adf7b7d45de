"""Tables as columns of text."""

from answersim.text_tables import TextTable
from rankers.commands.columns import columns_of


def test_columns_are_as_wide_as_needed_and_long_cells_are_truncated() -> None:
    text = columns_of([TextTable("title", ("a", "bb"), (("ccc", "d"), ("e" * 61, "f")))])
    assert text.splitlines() == ["title", f"a{' ' * 59}  bb", f"ccc{' ' * 57}  d", f"{'e' * 59}…  f"]
