"""The command that trains the cross-encoders that ship."""

import json

import pytest
import typer
from typer.testing import CliRunner

from tools.weights.cross_encoder.__main__ import main

pytest.importorskip("sentence_transformers")
pytest.importorskip("peft")


def test_the_command_line_trains(tiny_base, data, tmp_path):
    app = typer.Typer()
    app.command()(main)
    words = "--preset smoke --option epochs=2 --option precision=fp32 --option lora_r=2 --option max_length=64".split()
    where = ["--data", str(data.parent), "--output", str(tmp_path / "out"), "--base", str(tiny_base)]
    result = CliRunner().invoke(app, [*words, *where])
    assert result.exit_code == 0, result.output
    recipe = json.loads((tmp_path / "out" / "adapter" / "recipe.json").read_text())
    assert (recipe["recipe"]["epochs"], recipe["recipe"]["lora_r"], recipe["recipe"]["limit"]) == (2, 2, 64)
    result = CliRunner().invoke(app, ["--preset", "smok", *where])
    assert result.exit_code == 2
    known = "committed, cpu, distilled, judged, negated, negated-more, smoke, sts, student"
    assert result.stderr == f"answersim: no preset is called 'smok'; did you mean 'smoke'? Known: {known}\n"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--data", "./nowhere"], "no data folder at"),
        (["--data", "HERE", "--mixture", "nonsense=3"], "no source of training pairs is called 'nonsense'"),
        (["--data", "HERE", "--mixture", "sts=much"], "is not of the form sts=0,dates=100"),
        (["--data", "HERE", "--mixture", ""], "at least one source"),
        (["--data", "HERE", "--mixture", "sts,sts"], "each once"),
        (["--data", "HERE", "--mixture", "sts=-1"], "takes -1 pairs of sts"),
        (["--data", "HERE", "--base", "./nowhere"], "no weights for './nowhere'"),
        (["--data", "HERE", "--start", "./nowhere"], "no adapter folder"),
        (["--data", "HERE", "--threads", "0"], "--threads is 0, but it must be from 1"),
        (["--data", "HERE", "--base", "BASE", "--option", "max_length=32"], "en-"),  # no such file there
    ],
)
def test_an_error_of_the_user_is_one_line_and_status_2(tiny_base, tmp_path, words, complaint):
    words = [{"HERE": str(tmp_path), "BASE": str(tiny_base)}.get(word, word) for word in words]
    app = typer.Typer()
    app.command()(main)
    result = CliRunner().invoke(app, [*words, "--output", str(tmp_path / "out")])
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith("answersim: ")
    assert complaint in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "out" / "adapter").exists()
