"""The steps of ``make weights``: in order, resumable, and nothing of the smoke size ships."""

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from tools.weights import __main__ as weights
from tools.weights.__main__ import Step, main, run, steps


def test_every_network_is_trained_before_what_is_made_of_it():
    names = [step.name for step in steps(Path("runs"), "full", multilingual=True, ship=False)]
    assert names == [
        *("sas", "sas-answers", "sas-answers-e5", "names", "answers"),
        *("ensemble embedded", "ensemble multilingual", "reranker", "calibrations"),
    ]
    assert "sas-answers-e5" not in [step.name for step in steps(Path("runs"), "smoke", multilingual=False, ship=False)]


def test_every_result_is_below_the_folder_and_has_a_place_in_the_package(tmp_path):
    for step in steps(tmp_path, "full", multilingual=True, ship=True):
        assert step.result.is_relative_to(tmp_path)
        if step.name not in ("calibrations", "ensemble multilingual"):
            assert step.shipped is not None
            assert step.shipped.exists(), step.name


def test_a_step_with_a_result_is_not_done_again_and_a_failure_stops(tmp_path, monkeypatch):
    done = []
    monkeypatch.setattr(weights.subprocess, "run", lambda words, check: done.append(words[1:]))
    ready, open_ = tmp_path / "ready", tmp_path / "open"
    ready.touch()
    run([Step("ready", ready, ("a",), None), Step("open", open_, ("b",), None)], ship=False)
    assert done == [["b"]]
    assert open_.exists()  # the next run skips it


def test_results_replace_the_files_of_the_package_only_if_asked(tmp_path):
    result, shipped = tmp_path / "new.json", tmp_path / "old.json"
    result.write_text("new")
    shipped.write_text("old")
    step = Step("weights", result, (), shipped)
    run([step], ship=False)
    assert shipped.read_text() == "old"
    run([step], ship=True)
    assert shipped.read_text() == "new"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [(["--size", "tiny"], "no size is called 'tiny'"), (["--size", "smoke", "--ship"], "--ship")],
)
def test_wrong_options_are_errors_before_any_work(tmp_path, monkeypatch, words, complaint):
    monkeypatch.chdir(tmp_path)
    app = typer.Typer()
    app.command()(main)
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2
    assert complaint in result.stderr
    assert not list(tmp_path.iterdir())
