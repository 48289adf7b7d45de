"""The program writes what is shipped, and notices a file that is not up to date."""

from pathlib import Path

from typer.testing import CliRunner

from tools.weights.minimal_pairs.__main__ import SHIPPED, app

RUN = CliRunner()


def test_the_shipped_file_is_up_to_date() -> None:
    result = RUN.invoke(app, ["--check"])
    assert result.exit_code == 0, result.output
    assert "rows" in result.output


def test_a_changed_file_is_reported(tmp_path: Path) -> None:
    output = tmp_path / "rows.csv"
    output.write_bytes(SHIPPED.read_bytes().replace(b",1\n", b",0\n", 1))
    result = RUN.invoke(app, ["--check", "--output", str(output)])
    assert result.exit_code == 2
    assert "run 'python -m tools.weights.minimal_pairs'" in result.stderr
