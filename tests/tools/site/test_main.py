"""The command of the site. The build itself is `make docs`, which CI runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tools.site.__main__ import app, make_room, write_sources


def test_a_card_is_printed_without_a_build() -> None:
    run = CliRunner().invoke(app, ["--card", "f1"])
    assert run.exit_code == 0
    assert run.output.startswith("# `f1`\n")


def test_an_unknown_metric_is_an_error_of_one_line() -> None:
    run = CliRunner().invoke(app, ["--card", "f2"])
    assert run.exit_code == 2
    assert "f1" in run.output


def test_the_site_of_an_earlier_run_is_removed(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site/.buildinfo").touch()
    (tmp_path / "site/old.html").touch()
    make_room(tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_a_folder_that_is_no_site_is_kept(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(FileExistsError, match="name another --output"):
        make_room(tmp_path)
    assert (tmp_path / "thesis.tex").exists()


def test_all_sources_are_written(tmp_path: Path) -> None:
    write_sources(tmp_path)
    expected = "conf.py index.md docs/evaluate.md cards/f1.md reference/answersim.rst llms.txt NOTICE".split()
    assert [name for name in expected if not (tmp_path / name).is_file()] == []
    listed = (tmp_path / "llms.txt").read_text(encoding="utf-8")
    assert "](docs/evaluate.html)" in listed
    assert "](cards/f1.html)" in listed
    assert "](benchmarks/results/judged.html)" in listed
