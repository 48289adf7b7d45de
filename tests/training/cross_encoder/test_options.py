"""The command that trains a cross-encoder."""

import json

import pytest
import typer
from typer.testing import CliRunner

from answersim.training.cross_encoder import options

pytest.importorskip("sentence_transformers")
pytest.importorskip("peft")


def test_the_command_line_trains_and_says_what_it_did(tiny_base, data, tmp_path):
    app = typer.Typer()
    app.command()(options.main)
    words = "--preset smoke --epochs 2 --precision fp32 --lora-r 2 --max-length 64".split()
    where = ["--data", str(data.parent), "--output", str(tmp_path / "out"), "--base", str(tiny_base)]
    result = CliRunner().invoke(app, [*words, *where])
    assert result.exit_code == 0, result.output
    recipe = json.loads((tmp_path / "out" / "adapter" / "recipe.json").read_text())
    assert (recipe["recipe"]["epochs"], recipe["recipe"]["lora_r"], recipe["recipe"]["limit"]) == (2, 2, 64)
    result = CliRunner().invoke(app, ["--preset", "smok", *where])
    assert result.exit_code == 2
    known = "cpu, judged, smoke, sts, student"
    assert result.stderr == f"answersim: no preset is called 'smok'; did you mean 'smoke'? Known: {known}\n"
