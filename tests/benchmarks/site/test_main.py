"""The command of the site. The build itself is `make docs`, which CI runs."""

from __future__ import annotations

from typer.testing import CliRunner

from benchmarks.site.__main__ import app


def test_a_card_is_printed_without_a_build() -> None:
    run = CliRunner().invoke(app, ["--card", "f1"])
    assert run.exit_code == 0
    assert run.output.startswith("# `f1`\n")


def test_an_unknown_metric_is_an_error_of_one_line() -> None:
    run = CliRunner().invoke(app, ["--card", "f2"])
    assert run.exit_code == 2
    assert "f1" in run.output
