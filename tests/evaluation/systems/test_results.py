"""The forms of an evaluation: each begins with the sentence, and texts of users change nothing around them."""

import json
import math

import pytest

from answersim.evaluation.systems.results import Evaluation
from answersim.evaluation.systems.tables import AnswerRow, SystemRow
from answersim.stats.resampling import Estimate

SHARE = Estimate(0.75, 0.5, 0.9)


def row(system, subset="all"):
    return SystemRow(subset, system, 4, 4, SHARE, 3, 1, 0, SHARE, Estimate(0.7, math.nan, math.nan))


def evaluation(systems=("a",), subsets=("all", "kind=x"), pred="Paris"):
    answers = [AnswerRow("2", system, "wrong", 0.0, 0.1, None, ["Rome", "Roma"], pred) for system in systems]
    return Evaluation(
        "mine",
        "recall",
        "recall|text:en|rev:1",
        tuple(row(system, subset) for subset in subsets for system in systems),
        tuple(answers),
        {"level": 0.95, "clusters": "questions"},
        ("a note",),
    )


LINE = "3 of 4 right, 75 % [50, 90]; 1 wrong, 0 unsure"


def test_each_form_begins_with_the_sentence():
    result = evaluation()
    assert result.summary() == [LINE]
    assert result.to_text().splitlines()[0] == str(result).splitlines()[0] == LINE
    assert result.to_markdown().splitlines()[0].strip() == LINE
    assert result.to_latex().splitlines()[0] == LINE.replace("%", r"\%") + r"\\"
    assert next(iter(json.loads(result.to_json()).values())) == [LINE]
    assert result._repr_html_().startswith(f"<p><b>{LINE}</b></p>")
    assert LINE in repr(result)
    for form in (result.to_text, result.to_markdown, result.to_latex):
        assert "see w.csv" in form(where="w.csv").splitlines()[0]


def test_each_form_has_tables_answers_signature_and_notes():
    result = evaluation(("a", "b"))
    for text in (result.to_text(), result.to_markdown(), result.to_latex(), result._repr_html_()):
        for words in ("kind=x", "Paris", "recall", "text:en", "a note", "questions", "a by subset"):
            assert words in text.replace(r"\_", "_"), words
    assert "Paris" not in result.to_text(shown=0)
    assert evaluation(subsets=("all", "x=b", "x=a")).subsets == ("all", "x=b", "x=a")


def test_texts_of_users_are_escaped():
    result = evaluation(("a|b_c_",), pred="<script>\x1b[31m & 50 % [x](y) \\input{z}")
    assert "<script>" not in result._repr_html_()
    assert "\x1b" not in result.to_text() + result.to_markdown() + result.to_latex() + result._repr_html_()
    assert r"\input" not in result.to_latex()
    assert r"50 \%" in result.to_latex()
    table = [line for line in result.to_markdown().splitlines() if "Rome" in line]
    assert table
    assert r"\[x\]" in table[0]
    assert r"a\|b_c\_" in result.to_markdown()


def test_rows_are_found_by_system_and_subset():
    one, two = evaluation(), evaluation(("a", "b"))
    assert one.row() == row("a")
    assert one.row(subset="kind=x").subset == "kind=x"
    assert two.row("b").system == "b"
    with pytest.raises(LookupError, match="there are 2 systems; name one of: a, b"):
        two.row()
    with pytest.raises(LookupError, match="no system of the evaluation is called 'c'"):
        two.row("c")
    with pytest.raises(LookupError, match="did you mean 'kind=x'"):
        two.row("a", "kind=y")


def test_json_has_no_nan_and_every_number():
    content = json.loads(evaluation().to_json(), parse_constant=lambda name: pytest.fail(name))
    assert content["rows"][0]["share"] == {"value": 0.75, "low": 0.5, "high": 0.9}
    assert content["rows"][0]["probability"] == {"value": 0.7, "low": None, "high": None}
    assert content["answers"][0]["gold"] == ["Rome", "Roma"]
    assert content["systems"] == ["a"]
    assert "\\ud800" in evaluation(pred="\ud800").to_json()


def test_frames_have_one_row_per_system_and_subset():
    pytest.importorskip("pandas")
    frame = evaluation(("a", "b")).to_pandas()
    assert frame[["subset", "system", "right", "share", "share_low", "share_high"]].iloc[1].tolist() == [
        *("all", "b", 3, 0.75, 0.5, 0.9)
    ]
    assert len(frame) == 4
    assert evaluation().answers_to_pandas()["pred"].tolist() == ["Paris"]


def test_answers_are_a_table_that_can_be_written(tmp_path):
    from answersim._base.io import files

    files.write(evaluation().answers_table(), tmp_path / "a.csv")
    assert files.read(tmp_path / "a.csv").rows == [
        {
            **{"row": "2", "system": "a", "verdict": "wrong", "score": "0.0", "probability": "0.1", "question": ""},
            **{"gold": '["Rome", "Roma"]', "pred": "Paris"},
        }
    ]


def test_settings_cannot_be_changed():
    settings = {"level": 0.9}
    result = Evaluation("x", "f1", "f1", (row("a"),), settings=settings)
    settings["level"] = 0.5
    assert result.settings["level"] == 0.9
    with pytest.raises(TypeError):
        result.settings["level"] = 0.5  # type: ignore[index]
