"""What commands print and write: tables with notes, formats, and files whose suffix names the form."""

from __future__ import annotations

from pathlib import Path

import pytest

from answersim.commands.printing import check_format, check_result, print_tables, write_records, write_result
from answersim.text_tables import TextTable


def test_a_table_is_printed_with_its_title_and_notes(capsys: pytest.CaptureFixture[str]) -> None:
    print_tables([TextTable("of \x1b", ("name",), (("a",),), ("a note",))])
    lines = capsys.readouterr().out.splitlines()
    assert "\x1b" not in lines[0]
    assert lines[-2:] == ["a note", ""]
    assert "a" in [line.strip() for line in lines]


def test_a_format_is_known_or_suggested() -> None:
    check_format("latex")
    with pytest.raises(LookupError, match=r"'latx'.*latex"):
        check_format("latx")


def test_a_suffix_that_is_no_form_and_a_folder_are_refused(tmp_path: Path) -> None:
    check_result(tmp_path / "r.JSON", (".json",))
    with pytest.raises(ValueError, match=r"'\.txt'.*\.json"):
        check_result(tmp_path / "r.txt", (".json",))
    with pytest.raises(FileNotFoundError, match="no folder"):
        check_result(tmp_path / "none" / "r.json", (".json",))


def test_results_are_written_in_the_form_of_the_suffix(tmp_path: Path) -> None:
    write_result(tmp_path / "r.MD", lambda suffix: f"form {suffix}")
    assert (tmp_path / "r.MD").read_text(encoding="utf-8") == "form .md"
    write_records([{"a": 1, "b": "x"}, {"a": 2, "b": "y"}], tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_text(encoding="utf-8").splitlines() == ["a,b", "1,x", "2,y"]
