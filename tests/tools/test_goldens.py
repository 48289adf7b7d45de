"""Two records are compared by section and key, and only what is allowed may differ."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

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


def test_sections_that_were_not_chosen_are_not_compared(file: Path, toy: dict[str, object]) -> None:
    toy["em en"] = [0]
    assert CliRunner().invoke(app, ["compare", str(file), "--section", "help"]).exit_code == 0
    assert CliRunner().invoke(app, ["compare", str(file), "--section", "metrics"]).exit_code == 1


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


def test_a_difference_of_texts_is_shown_by_lines() -> None:
    usage = "Usage:\n" + "an option\n" * 10
    assert goldens.differences(usage + "  one\n", usage + "  two\n") == ["@@ -12 +12 @@", "-  one", "+  two"]


def test_a_difference_of_signatures_is_shown_by_parameters() -> None:
    parameters = ", ".join(f"parameter_{i}: 'float' = {i}" for i in range(8))
    changed = parameters.replace("parameter_3", "level")
    shown = goldens.differences(f"({parameters})", f"({changed})")
    assert shown == ["@@ -4 +4 @@", "-parameter_3: 'float' = 3,", "+level: 'float' = 3,"]


def test_a_rename_that_keeps_all_numbers_is_named_as_one() -> None:
    note = "only names, texts or places differ: both have the same numbers"
    assert note in goldens.differences({"low": "0x1.0p+0", "n": 3}, {"lower": "0x1.0p+0", "n": 3})
    assert note not in goldens.differences({"low": "0x1.0p+0", "n": 3}, {"lower": "0x1.8p+0", "n": 3})
    assert note not in goldens.differences({"low": "0x1.0p+0"}, {"low": "0x1.8p+0"})
    assert note not in goldens.differences({"name": "a"}, {"names": "a"})


@pytest.mark.parametrize(("before", "after"), [(1, True), (0, False), (1, "1"), (None, "absent")])
def test_values_of_other_types_differ(before: object, after: object) -> None:
    assert goldens.differences({"n": before}, {"n": after})
