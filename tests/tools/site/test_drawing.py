"""The picture of the layers: it is what the command draws, and its walks are what the program does."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from typer.testing import CliRunner

import answersim
from answersim.__main__ import app
from tools.site.drawing import EVALUATE, PICTURE, SCORE, WALKS, layers, picture, row_of
from tools.site.sources import ROOT

PACKAGE = Path(answersim.__file__).parent


def entered(call: Callable[[], object]) -> list[str]:
    """The modules of answersim in the order in which a call enters each of them first."""
    found: dict[str, None] = {}

    def note(frame: FrameType, event: str, _: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(PACKAGE):
            found[path.relative_to(PACKAGE).with_suffix("").as_posix()] = None

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return list(found)


def in_order(steps: list[str], found: list[str]) -> list[str]:
    return [module for module in found if module in steps]


def test_the_walk_of_score_is_what_a_call_does() -> None:
    answersim.score("NFL", "the NFL", "f1")
    steps = [step.module for step in SCORE.steps]
    assert in_order(steps, entered(lambda: answersim.score("Ohio", "in Ohio", "f1"))) == steps


def test_the_walk_of_evaluate_is_what_the_command_does(tmp_path: Path) -> None:
    table = tmp_path / "answers.csv"
    table.write_text("gold,pred\nRome,in Rome\nOslo,Bergen\n")
    arguments = ["evaluate", str(table), "--metric", "recall"]
    run = CliRunner().invoke
    assert run(app, arguments).exit_code == 0
    steps = [step.module for step in EVALUATE.steps]
    assert in_order(steps, entered(lambda: run(app, arguments))) == steps


def test_the_picture_is_what_the_command_draws() -> None:
    drawn = picture(layers((ROOT / "pyproject.toml").read_text(encoding="utf-8")))
    assert PICTURE.read_text(encoding="utf-8") == drawn, "run python -m tools.site.drawing"


def test_the_layers_are_those_of_the_contract() -> None:
    rows = layers((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert rows[0] == ("__main__",)
    assert rows[-1] == ("errors",)
    modules = {module for row in rows for module in row}
    here = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert here - modules == {"__init__"}


def test_a_step_without_a_layer_is_an_error() -> None:
    with pytest.raises(LookupError, match="'nowhere'"):
        row_of("nowhere", [("scoring",)])


def test_every_step_is_in_the_picture() -> None:
    text = PICTURE.read_text(encoding="utf-8")
    assert all(f"{step.module.rpartition('/')[2]}: {step.does}" in text for walk in WALKS for step in walk.steps)
