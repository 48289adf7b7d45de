"""The sections of goldens that take less than a second."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import answersim
from tools import golden_sections as sections


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
