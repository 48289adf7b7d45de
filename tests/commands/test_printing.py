"""What commands print and write: tables with notes, formats, and files whose suffix names the form."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from answersim._base import text_tables
from answersim._base.errors import MissingExtraError
from answersim._base.text_tables import TextTable
from answersim.commands.options import Result
from answersim.commands.printing import check_output, print_parts, show, write
from tests.command_line import run


def test_a_table_is_printed_with_its_title_and_notes(capsys: pytest.CaptureFixture[str]) -> None:
    print_parts([TextTable("of \x1b", ("name",), (("a",),), ("a note",))])
    lines = capsys.readouterr().out.splitlines()
    assert "\x1b" not in lines[0]
    assert lines[-1] == "a note"
    assert "a" in [line.strip() for line in lines]


def test_a_format_is_known_or_suggested() -> None:
    check_output(Result(format="latex"))
    with pytest.raises(LookupError, match=r"'latx'.*latex"):
        check_output(Result(format="latx"))


def test_a_suffix_that_is_no_form_and_a_folder_are_refused(tmp_path: Path) -> None:
    for name in ("r.JSON", "r.tex", "r.md", "r.csv", "r.jsonl"):
        check_output(Result(output=tmp_path / name))
    with pytest.raises(ValueError, match=r"'\.html'.*\.json, \.md, \.tex, \.csv"):
        check_output(Result(output=tmp_path / "r.html"))
    with pytest.raises(FileNotFoundError, match="no folder"):
        check_output(Result(output=tmp_path / "none" / "r.json"))
    (tmp_path / "folder.tex").mkdir()
    with pytest.raises(IsADirectoryError, match="folder"):
        check_output(Result(output=tmp_path / "folder.tex"))


def test_a_table_that_cannot_be_written_here_is_refused_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match="tables"):
        check_output(Result(output=tmp_path / "r.parquet"))


@dataclass(frozen=True)
class Found(text_tables.Result):
    def summary(self) -> list[str]:
        return ["two rows"]

    def records(self) -> list[dict[str, Any]]:
        return [{"a": 1}, {"a": 2, "b": "y"}]


def test_results_are_written_in_the_form_of_the_suffix(tmp_path: Path) -> None:
    write(Found(), None)
    write(Found(), tmp_path / "r.MD")
    assert (tmp_path / "r.MD").read_text(encoding="utf-8").startswith("two rows  \n")
    write(Found(), tmp_path / "r.html", {".html": lambda: "a page"})
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == "a page"
    write(Found(), tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_text(encoding="utf-8").splitlines() == ["a,b", "1,", "2,y"]
    write(Found(), tmp_path / "r.csv", rows=lambda: [{"c": 3}])
    assert (tmp_path / "r.csv").read_text(encoding="utf-8").splitlines() == ["c", "3"]


def test_a_result_is_printed_as_lines_or_as_a_document(capsys: pytest.CaptureFixture[str]) -> None:
    show(Found(), Result(), ["one line", "another"])
    assert capsys.readouterr().out == "one line\nanother\n"
    show(Found(), Result(format="markdown"), ["one line"])
    assert capsys.readouterr().out.startswith("two rows  \n")


LONG = "gpt-4o-2024-08-06-with-retrieval-and-reranker"
COMMANDS = {  # every command that writes a result, and a word of it
    "evaluate answers.csv --pred LONG-a,LONG-b -m recall": "share right",
    "compare answers.csv --pred LONG-a,LONG-b -m recall": "recall",
    "compare answers.csv --pred LONG-a,LONG-b -m recall --max-drop .01": "difference in right answers",
    "evaluate answers.csv --pred LONG-a --verifier em --labels label --min-right .01": "wrong ones accepted",
    "samples answers.csv --pred LONG-a -m em --question question --extract reasoning": "maj@",
    "label --plan .2": "labels alone",
    "correlate answers.csv --pred LONG-a -m recall --resamples 5": "F1",
    "doctor em --attacked 0 --no-properties": "acronym",
    "doctor reward rules --attacked 1": "accepted",
    "official answers.csv --pred LONG-a --profiles squad,triviaqa": "official:squad",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_writes_latex_and_prints_no_table_wider_than_80_characters(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"what is {i},Rome {i % 7},{'in ' * (i % 3)}Rome {i % 7},Oslo {i % 5},{int(i % 4 > 0)}" for i in range(24)]
    Path("answers.csv").write_text("\n".join([f"question,gold,{LONG}-a,{LONG}-b,label", *rows]))
    for output in ("table.tex", "table.csv"):
        code, out, err = run(*command.replace("LONG", LONG).split(), "-o", output)
        assert code in (0, 1, 3), err
        assert max((len(line) for line in out.splitlines() if line.startswith("──")), default=0) <= 80
    text = Path("table.tex").read_text(encoding="utf-8")
    assert "\\begin{tabular}" in text
    assert "\\end{tabular}" in text
    assert COMMANDS[command] in text
    assert len(Path("table.csv").read_text(encoding="utf-8").splitlines()) > 1
