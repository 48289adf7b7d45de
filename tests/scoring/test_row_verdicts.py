"""Verdicts on rows: of several systems and of rows that are left out, written with the table; and which calibration."""

import pytest

import answersim
from answersim._base.io import files
from answersim.calibration.storing import find
from answersim.scoring.row_verdicts import calibration_for, row_verdicts

DATA = {"gold": [None, "Rome", "Oslo"], "a": ["x", "in Rome", "Bergen"], "b": ["x", "Paris", "in Oslo"]}


def test_each_answer_of_each_system_has_a_verdict(tmp_path):
    with pytest.warns(UserWarning, match="1 of 3 rows"):
        answers = answersim.read_answers(DATA, pred=["a", "b"], skip_bad=True)
    found = row_verdicts(answers, "recall", output=tmp_path / "out.jsonl", prefix="my_")
    expected = find("recall").verdicts([1.0, 0.0, 0.0, 1.0]).tolist()
    assert found.scores.verdicts.tolist() == expected
    rows = files.read(tmp_path / "out.jsonl").rows
    assert [row[f"my_verdict:{system}"] for system in "ab" for row in rows] == expected
    assert [row["my_recall:b"] for row in rows] == [0.0, 1.0]
    assert found.summary()[0].startswith("2 of 4 equivalent, 50%")


def test_a_calibration_of_other_scores_is_refused():
    with pytest.raises(ValueError, match="the column 'gold' may contain other scores"):
        row_verdicts(DATA, "recall", score="gold")


def test_questions_choose_the_calibration_that_was_made_with_questions(monkeypatch):
    assert calibration_for(None, False) == "answersim"
    assert calibration_for(None, True) == calibration_for("answersim", True) == "answersim-question"
    assert calibration_for("mine.json", True) == "mine.json"
    monkeypatch.setattr("answersim.metrics.catalog.lookup.DEFAULT_METRIC", "recall")
    assert calibration_for(None, False) == "recall"
    with pytest.raises(LookupError, match="no calibration of recall was made with questions; leave --question out"):
        calibration_for(None, True)
