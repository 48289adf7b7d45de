"""Answers that a command reads as a whole: one row per answer, with a label, or with recorded scores and no texts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from answersim.commands.columns import labeled, print_left_out, scored
from answersim.commands.options import ReadingOptions, RunOptions

TABLE = {"gold": ["Rome|Roma", "Oslo"], "pred": ["Roma", "Bergen"], "label": [1, None], "s": [0.5, 0.25]}


def test_answers_are_split_into_references_and_scored() -> None:
    answers = ReadingOptions(split_gold="|").stacked(TABLE)
    how = {"name": "em", "lang": "en", "profile": None, "options": {}}
    assert scored(answers, how, {}, RunOptions()).values.tolist() == [1, 0]


def test_rows_without_a_label_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    answers = ReadingOptions().stacked(TABLE, ["label"])
    kept, labels = labeled(answers, "label", "a test")
    assert (kept.preds, labels) == (["Roma"], [1.0])
    print_left_out(labels, 2)
    assert capsys.readouterr().out == "1 of 2 rows have no label and are left out\n"


def test_labels_that_were_drawn_with_unequal_probabilities_are_an_error() -> None:
    table = TABLE | {"label": [1, 0], "inclusion": [0.5, 0.1]}
    with pytest.raises(ValueError, match="a test counts each label once"):
        labeled(ReadingOptions().stacked(table, ["label"]), "label", "a test")


def test_recorded_scores_need_no_texts(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text(json.dumps({"s": 0.5, "q": "who"}) + "\n")
    answers = ReadingOptions(group="q").stacked(tmp_path / "t.jsonl", score=["s"])
    assert (answers.numbers_in("s"), answers.groups, answers.preds) == ([0.5], ["who"], [])
    with pytest.raises(ValueError, match="2 files are given with --score"):
        ReadingOptions().stacked([tmp_path / "t.jsonl", tmp_path / "u.jsonl"], score=["s"])
