"""Goldens: each section is written, compared and renewed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import answersim
from tools import golden_sections as sections
from tools import goldens

app = typer.Typer()
app.command()(goldens.main)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """Two small sections, whose content a test may change after it was recorded."""
    content: dict[str, object] = {"f1 en": {"signature": "f1|rev:1", "scores": ["0x1.0p+0"]}, "em en": [1]}
    sections = {"metrics": lambda: iter(content.items()), "help": lambda: iter([("answersim", "Usage:\n  one\n")])}
    monkeypatch.setattr(goldens, "SECTIONS", sections)
    return content


@pytest.fixture
def file(toy: dict[str, object], tmp_path: Path) -> Path:
    path = tmp_path / "before.json"
    assert CliRunner().invoke(app, ["record", str(path)]).exit_code == 0
    return path


def test_equal_content_has_no_difference(file: Path) -> None:
    assert json.loads(file.read_text(encoding="utf-8"))["metrics"]["em en"] == [1]
    outcome = CliRunner().invoke(app, ["compare", str(file)])
    assert (outcome.exit_code, outcome.stdout) == (0, "0 keys differ, and 0 others that may\n")


def test_a_changed_score_is_printed_with_its_section_and_key(file: Path, toy: dict[str, object]) -> None:
    toy["f1 en"] = {"signature": "f1|rev:1", "scores": ["0x1.8p-1"]}
    outcome = CliRunner().invoke(app, ["compare", str(file)])
    assert outcome.exit_code == 1
    assert "metrics/f1 en: DIFFERENT" in outcome.stdout
    assert "/scores/0 0x1.0p+0 -> 0x1.8p-1" in outcome.stdout


@pytest.mark.parametrize("change", ["removed", "added"])
def test_a_key_that_one_side_lacks_is_a_difference(file: Path, toy: dict[str, object], change: str) -> None:
    if change == "removed":
        del toy["em en"]
    else:
        toy["recall en"] = [1]
    outcome = CliRunner().invoke(app, ["compare", str(file)])
    assert outcome.exit_code == 1
    assert "absent" in outcome.stdout


@pytest.mark.parametrize(
    ("allowed", "status"), [("metrics", 0), ("metrics/em", 0), ("metrics/f1", 1), ("help", 1), ("metric", 1)]
)
def test_only_the_allowed_section_and_start_of_a_key_may_differ(
    file: Path, toy: dict[str, object], allowed: str, status: int
) -> None:
    toy["em en"] = [0]
    outcome = CliRunner().invoke(app, ["compare", str(file), "--allow", allowed])
    assert outcome.exit_code == status, outcome.stdout
    assert ("metrics/em en: allowed" in outcome.stdout) == (status == 0)


@pytest.mark.parametrize(
    ("arguments", "words"), [(["compared"], "'compared'"), (["record", "--section", "speed"], "speed")]
)
def test_an_unknown_action_or_section_is_an_error_that_names_it(
    toy: dict[str, object], tmp_path: Path, arguments: list[str], words: str
) -> None:
    action, *options = arguments
    outcome = CliRunner().invoke(app, [action, str(tmp_path / "x.json"), *options])
    assert outcome.exit_code == 2
    assert words in outcome.output
    assert not (tmp_path / "x.json").exists()


class Interval(NamedTuple):
    low: float


@dataclass
class Result:
    interval: Interval
    counts: object


def test_a_result_is_recorded_to_the_last_bit() -> None:
    close = 0.1 + 0.2
    recorded = sections.plain(Result(Interval(close), np.array([1, 2])))
    assert recorded == {"interval": {"low": close.hex()}, "counts": [1, 2]}
    assert recorded != sections.plain(Result(Interval(0.3), np.array([1, 2])))


def test_a_value_without_a_form_in_json_is_an_error_that_names_its_type() -> None:
    with pytest.raises(TypeError, match=r"object.*to_dict"):
        sections.plain(object())


def test_public_names_are_those_of_both_packages_with_signatures() -> None:
    recorded = dict(sections.public_names())
    assert recorded["answersim"] == sorted(answersim.__all__)
    assert "calibration" in recorded["answersim.score"]
    assert "ci" in recorded["answersim.Scores"]
    assert "rankers.fit" in recorded
    assert "answersim.answers.typed.compare" in recorded


def test_the_files_of_the_wheel_are_code_and_data_of_both_packages() -> None:
    files = dict(sections.wheel())
    assert files["answersim/__init__.py"] == files["rankers/__main__.py"] == ""
    assert all(name.startswith(("answersim/", "rankers/")) for name in files)
    assert any(len(digest) == 64 for digest in files.values())
