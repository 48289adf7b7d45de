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


def test_no_recorded_signature_contains_the_path_of_a_module() -> None:
    text = json.dumps([value for key, value in sections.public_names() if key.count(".")])
    assert "answersim." not in text
    assert " at 0x" not in text


def test_the_files_of_the_wheel_are_code_and_data_of_both_packages() -> None:
    files = dict(sections.wheel())
    assert files["answersim/__init__.py"] == files["rankers/__main__.py"] == ""
    assert all(name.startswith(("answersim/", "rankers/")) for name in files)
    assert any(len(digest) == 64 for digest in files.values())


def test_the_tables_have_what_studies_need() -> None:
    tables = sections.tables()
    assert [reading for _, reading in tables.values()] == [{}, {"split_gold": " ; "}, {"skip_bad": True}]
    for table, _ in tables.values():
        assert len({len(column) for column in table.values()}) == 1
        assert len(set(table["question"])) < len(table["id"]) == len(set(table["id"]))
        assert set(table["label"]) == {0, 1}
    assert None in tables["bad"][0]["a"]
    assert sections.tables() == tables


def test_help_texts_cover_subcommands() -> None:
    recorded = dict(sections.help_texts())
    assert {"answersim", "answersim evaluate", "answersim data cache", "rankers rank"} <= set(recorded)
    assert all(text.startswith(f"Usage: {key.split()[0]}") for key, text in recorded.items())
    assert any(len(line) > 120 for line in recorded["answersim evaluate"].splitlines())


def test_the_seconds_of_scoring_are_not_part_of_a_page() -> None:
    page = "# Title\n| system | P@1 | scoring (s) |\n| f1 | 0.7 | 0.1 |\n\n| metric | tau |\n- a claim"
    assert sections.page_rows(page) == "| system | P@1\n| f1 | 0.7\n| metric | tau |\n- a claim"
