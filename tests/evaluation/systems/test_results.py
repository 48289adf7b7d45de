"""The result of an evaluation: tables, changes, abstentions, JSON."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim.calibration.verdicts import Verdicts, verdict_rule
from answersim.evaluation.labels.labeled_shares import percent
from answersim.evaluation.systems.changes import NOISE, changed, flickering, noise_of
from answersim.evaluation.systems.results import Evaluation
from answersim.evaluation.systems.tables import AnswerRow, SystemRow, sentence
from answersim.stats.resampling import Estimate
from tests.cases import every
from tests.table_metric import Table

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
    first, two = evaluation(), evaluation(("a", "b"))
    assert first.row() == row("a")
    assert first.row(subset="kind=x").subset == "kind=x"
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


NOTHING = Estimate(math.nan, math.nan, math.nan)
ROW = SystemRow(
    *("all", "gpt", 1500, 900, Estimate(0.8, 0.75, 0.85), 1200, 250, 50),
    *(Estimate(0.8, 0.776, 0.824), Estimate(0.81, 0.79, 0.83)),
)
PLAIN = ROW._replace(right=None, wrong=None, unsure=None, share=NOTHING, probability=NOTHING)


@every(
    ("row", "settings", "expected"),
    [
        (ROW, {}, "1,200 of 1,500 right, 80 % [78, 82]; 250 wrong, 50 unsure"),
        (ROW, {"named": True}, "gpt: 1,200 of 1,500 right, 80 % [78, 82]; 250 wrong, 50 unsure"),
        (ROW, {"where": "w.csv"}, "1,200 of 1,500 right, 80 % [78, 82]; 250 wrong, 50 unsure: see w.csv"),
        (
            ROW._replace(right=1500, wrong=0, unsure=0),
            {"where": "w.csv"},
            "1,500 of 1,500 right, 80 % [78, 82]; 0 wrong, 0 unsure",
        ),
        (PLAIN, {}, "mean f1 0.800 [0.750, 0.850] over 1,500 answers; not counted as right or wrong"),
    ],
)
def test_the_result_is_a_sentence(row, settings, expected):
    assert sentence(row, metric="f1", **{"named": False, **settings}) == expected


HALF = Verdicts(threshold=0.5)
RULE = verdict_rule("", threshold=0.5)
PAGE = Path(__file__).parents[3] / "benchmarks" / "results" / "precision.csv"


def test_changed_rows_begin_with_those_that_went_wrong_the_largest_first() -> None:
    first, second = np.array([0.9, 0.8, 0.1, 0.9, 0.2, 0.5]), np.array([0.4, 0.1, 0.9, 0.8, 0.3, 0.5])
    results = [(row.row, row.change) for row in changed(RULE.decide(first), RULE.decide(second), 0.0)]
    expected = [(1, "went wrong"), (0, "went wrong"), (2, "became right"), (3, "lower"), (4, "higher")]
    assert results == expected


def test_an_answer_that_becomes_unsure_went_wrong() -> None:
    rule = verdict_rule("", scale="binary")
    result = changed(rule.decide([1.0, 0.5, 0.0]), rule.decide([0.5, 1.0, 0.5]), 0.0)
    assert [row.change for row in result] == ["went wrong", "became right", "higher"]


def test_the_noise_is_that_of_the_page_of_measured_precision() -> None:
    with PAGE.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["table"] == "bf16 beside fp32" and row["metric"]]
    assert {name: f"{noise:.1e}" for name, noise in NOISE.items()} == {
        row["metric"]: row["difference: largest"] for row in rows
    }


def test_verdicts_near_the_cut_flicker() -> None:
    assert flickering(np.array([0.49, 0.2, 0.9]), np.array([0.9, 0.2, 0.51]), 0.5, 0.02).tolist() == [True, False, True]
    data = {"gold": ["a"] * 9, "pred": ["a"] * 9, "other": ["b"] * 9, "s": [0.5] * 9}
    for noise, flicker in ((None, 0), (0.001, 9)):  # numbers have no noise
        settings = {"pred": ["pred", "other"], "score": ["s", "s"], "noise": noise}
        assert answersim.compare(data, calibration=HALF, **settings).pair.scores.flicker == flicker


def test_other_networks_have_the_largest_noise_and_words_none() -> None:
    assert noise_of(answersim.metric("recall"), "recall") == 0
    network = Table("mine", 0.0, "model")
    assert noise_of(network, "mine") == NOISE["sas"] == max(NOISE.values())
    assert noise_of(network, "answersim") == NOISE["answersim"]
    assert noise_of(None, "answersim") == 0
    assert noise_of(network, "answersim", 0.5) == 0.5
    with pytest.raises(ValueError, match="noise is -1"):
        noise_of(None, "f1", -1)


GOLD: list[Any] = ["Rome", "Oslo", "", ["unanswerable", "none"], "Lima", "Bern"]
PRED = ["Rome", "I don't know.", "No answer", "There is not enough information.", "", "Quito"]
VERDICTS = ["right", "not attempted", "right", "right", "not attempted", "wrong"]


def table(times: int = 1, **more: list[Any]) -> dict[str, list[Any]]:
    return {name: values * times for name, values in ({"gold": GOLD, "pred": PRED} | more).items()}


@every("metric", ["em", "recall"])
def test_an_abstention_is_right_only_if_there_is_no_answer(metric: str) -> None:
    evaluation = answersim.evaluate(table(), metric, keep=("right", "wrong", "unsure", "not attempted"))
    assert [answer.verdict for answer in sorted(evaluation.answers, key=lambda answer: answer.row)] == VERDICTS
    row = evaluation.row()
    assert (row.right, row.wrong, row.unsure, row.not_attempted) == (3, 1, 0, 2)
    assert [round(rate.value, 3) for rate in row.attempts] == [0.667, 0.75, 0.6]
    assert "1 wrong, 0 unsure, 2 not attempted" in evaluation.summary()[0]
    assert any("2 abstentions are right, because the gold answer" in note for note in evaluation.notes)
    (attempts,) = [part for part in evaluation.tables() if part.title == "Attempts"]
    assert attempts.header == ("system", "attempted", "right of attempted", "F1")
    assert evaluation.to_dict()["rows"][0]["f1"]["value"] == pytest.approx(0.6)


def test_a_right_abstention_has_the_probability_1() -> None:
    evaluation = answersim.evaluate(table(), "recall", keep=("right",))
    assert [answer.probability for answer in evaluation.answers if answer.row in "34"] == [1.0, 1.0]


def test_without_abstentions_nothing_is_said_of_them() -> None:
    evaluation = answersim.evaluate({"gold": ["Rome", "Oslo"], "pred": ["Rome", "Bergen"]}, "em")
    assert "attempted" not in str(evaluation)
    row = evaluation.row()
    assert (row.attempts.attempted.value, *row.attempts[1:], row.not_attempted) == (1, row.share, row.share, 0)


def test_the_final_answer_decides_if_a_rule_reads_it() -> None:
    data = {"gold": ["Rome"] * 2, "pred": ["It may be Oslo. \\boxed{unknown}", "I was not sure. \\boxed{Rome}"]}
    result = answersim.evaluate(data, "em", extract="boxed").row()
    assert (result.right, result.not_attempted) == (1, 1)


def test_two_systems_differ_in_each_rate() -> None:
    data = table(20, other=["Rome", "Oslo", "No answer", "x", "Lima", "no idea"])
    comparison = answersim.compare(data, "em", pred=["pred", "other"])
    attempts = comparison.pair.attempts
    assert attempts is not None
    assert attempts.not_attempted == (40, 20)
    for name in ("attempted", "accuracy", "f1"):
        rows = answersim.evaluate(data, "em", pred=["pred", "other"]).rows
        before, after = (getattr(row.attempts, name) for row in rows)
        assert getattr(attempts, name).value == pytest.approx(after.value - before.value)
    text = "\n".join(comparison.summary())
    assert "went wrong (are wrong, unsure or not attempted now)" in text
    assert "83 % [75, 90] attempted against 67 % [57, 75], +16.7 points" in text
    assert comparison.records()[0]["difference_f1"] == attempts.f1.value
    assert comparison.to_dict()["pairs"][0]["attempts"]["not_attempted"] == [40, 20]


def test_a_share_without_an_interval_or_without_rows_is_shown_as_such():
    assert percent(Estimate(0.5, math.nan, math.nan)) == "50 %"
    assert percent(NOTHING) == "-"
