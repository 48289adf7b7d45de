"""Evaluation: measures and metrics side by side, with intervals, counts and what must be said of them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import rankers
from answersim._base.text_tables import Result
from answersim.stats.intervals.resampling import Bootstrap
from rankers import data
from rankers.evaluation.comparison import compare
from rankers.evaluation.evaluate import WRONG, Evaluation, evaluate
from rankers.evaluation.qrels import Qrels
from rankers.types import Questions, Run
from tests.cases import every
from tests.rankers.made_questions import question

GRADES = {"q1": (1, 0), "q2": (0, 1), "q3": (0, 0), "q4": (1, 1)}

ITEMS = (question(name, "?", {f"answer {i}": grade for i, grade in enumerate(row)}) for name, row in GRADES.items())

QUESTIONS = Questions("made", "test", tuple(ITEMS))

RUN = Run("sys", {question.id: {"c0": 1.0, "c1": 0.5} for question in QUESTIONS}, "sys|seed:0")


def test_measures_and_metrics_are_evaluated_together():
    evaluation = evaluate(RUN, QUESTIONS, ["P@1", "MRR"], ["f1"], seed=3)
    assert list(evaluation.values) == ["P@1", "MRR", "f1", "f1" + WRONG]
    np.testing.assert_array_equal(evaluation.values["P@1"], [1, 0, np.nan, 1])
    np.testing.assert_array_equal(evaluation.values["f1"], [1, 0.5, np.nan, 1])
    np.testing.assert_array_equal(evaluation.values["f1" + WRONG], [np.nan, 0.5, np.nan, np.nan])
    assert (evaluation.dataset, evaluation.split, evaluation.pool) == ("made", "test", "judged")
    assert (evaluation.system, evaluation.seed) == ("sys", 3)
    assert evaluation.mean("MRR") == pytest.approx((1 + 0.5 + 1) / 3)
    with pytest.raises(LookupError, match="did you mean 'MRR'"):
        evaluation.mean("MR")


def test_rows_have_the_keys_of_the_tables_and_are_json():
    rows = evaluate(RUN, QUESTIONS, ["P@1"], ["f1"], seed=3).records()
    keys = "dataset system seed measure value n_questions low high floor".split()
    assert [list(row) for row in rows] == [keys] * 3
    assert rows[0]["value"] == pytest.approx(2 / 3)
    assert [row["n_questions"] for row in rows] == [3, 3, 1]
    assert json.loads(json.dumps(rows, allow_nan=False)) == rows
    right = Run("sys", {"q1": {"c0": 1.0}}, "sys|seed:0")
    (_, _, row) = evaluate(right, replace(QUESTIONS, items=QUESTIONS.items[:1]), ["P@1"], ["f1"]).records()
    assert (row["measure"], row["value"], row["n_questions"], row["low"]) == ("f1 where P@1=0", None, 0, None)


def test_an_interval_holds_the_mean_and_is_the_same_at_every_call():
    values = np.random.default_rng(0).integers(0, 2, 200)
    qrels = {f"q{i}": {"a": int(value), "b": int(1 - value)} for i, value in enumerate(values)}
    run = Run("sys", {qrel: {"a": 1.0, "b": 0.0} for qrel in qrels})
    evaluation = evaluate(run, qrels, ["P@1"])
    low, high = evaluation.interval("P@1")
    assert low < evaluation.mean("P@1") == values.mean() < high
    assert high - low == pytest.approx(2 * 1.96 * values.std() / 200**0.5, rel=0.1)
    assert evaluation.interval("P@1") == evaluate(run, qrels, ["P@1"]).interval("P@1")
    wider = evaluate(run, qrels, ["P@1"], bootstrap=Bootstrap(0.999)).interval("P@1")
    assert wider.low < low < high < wider.high


def test_qrels_alone_are_enough_for_measures():
    grades = {"q1": {"c0": 1, "c1": 2}, "q2": {"c0": 0, "c1": 1}}
    run = Run("sys", {"q1": {"c0": 1.0, "c1": 0.5, "unjudged": 2.0}, "other": {"x": 1.0}})
    evaluation = evaluate(run, grades, ["MRR"], dataset="trec")
    assert evaluation.values["MRR"].tolist() == [0.5, 0.0]
    assert evaluation.records()[0]["dataset"] == "trec"
    assert evaluate(run, Qrels(grades, relevant=2), ["MRR"], without_positives="zero").values["MRR"][0] == 1 / 3
    with pytest.raises(LookupError, match="unjudged"):
        evaluate(run, grades, ["MRR"], strict=True)
    with pytest.raises(ValueError, match="qrels contain none"):
        evaluate(run, grades, ["MRR"], ["f1"])


def test_nothing_in_common_is_an_error_that_names_both():
    run = Run("sys", {"h1": {"c0": 1.0}})
    for strict in (None, False, True):
        with pytest.raises(LookupError, match="'h1'"):
            evaluate(run, {"q1": {"c0": 1}}, ["MRR"], strict=strict)
    hashed = Run("sys", {"q1": {"h0": 1.0}, "q2": {}})
    with pytest.raises(LookupError, match=r"no document of them: for 'q1' the run has 'h0', the grades have 'c0'"):
        evaluate(hashed, {"q1": {"c0": 1}, "q2": {"c0": 1}}, ["MRR"])
    assert evaluate(hashed, {"q1": {"c0": 1}}, ["MRR"], strict=False).mean("MRR") == 0  # as trec_eval does


def test_a_run_that_found_nothing_counts_0():
    assert evaluate(Run("sys", {}), {"q1": {"c0": 1}}, ["MRR"]).mean("MRR") == 0


def of(scores: Any) -> Run:
    return Run("sys", scores)


def graded(grades: Any) -> dict[str, Any]:
    return {"questions": grades, "metrics": []}


@every(
    ("error", "match", "change"),
    [
        (TypeError, "run is 'run'", {"run": "run"}),
        (TypeError, "run is None", {"run": None}),
        (TypeError, "questions is None", {"questions": None}),
        (TypeError, "grades of 'q1' are", {"questions": {"q1": ["c0"]}, "metrics": []}),
        (TypeError, "qrels is", {"qrels": {"q1": {"c0": 1}}}),
        (TypeError, "sequences of names", {"measures": None}),
        (ValueError, "nothing to measure", {"measures": [], "metrics": []}),
        (ValueError, "threshold is given", {"metrics": [], "threshold": 0.5}),
        (LookupError, "did you mean 'f1'", {"threshold": {"f2": 0.5}}),
        (ValueError, "threshold is nan", {"threshold": float("nan")}),
        (ValueError, "threshold is 'high'", {"threshold": "high"}),
        (ValueError, "not one string", {"measures": "MAP"}),
        (ValueError, "not one string", {"metrics": "f1"}),
        (ValueError, "'skip' or 'zero'", {"without_positives": "drop"}),
        (TypeError, r"bootstrap is 0\.9 \(float\), but it must be answersim\.Bootstrap", {"bootstrap": 0.9}),
        (LookupError, "no question in common: .* have 'q1', 'q2', 'q3' and 1", {"run": of({"x": {"a": 1.0}})}),
        (LookupError, "no document of them: for 'q1' the run has 'y'", {"run": of({"q1": {"y": 1.0}})}),
        (ValueError, "the score nan for 'c0' under the question 'q1'", {"run": of({"q1": {"c0": float("nan")}})}),
        (ValueError, "the score inf for 'c0'", {"run": of({"q1": {"c1": 1.0, "c0": float("inf")}})}),
        (ValueError, "the score None for 'c0'", {"run": of({"q1": {"c0": None}})}),
        (ValueError, "the score '1.0' for 'c0'", {"run": of({"q1": {"c0": "1.0"}})}),
        (LookupError, "the unknown question 'x'", {"run": of({"q1": {"c0": 1.0}, "x": {}}), "strict": True}),
        (LookupError, "ranks 'y' for the question 'q1'", {"run": of({"q1": {"c0": 1.0, "y": 0.0}}), "strict": True}),
        (TypeError, "it must be a split of a corpus, or grades", graded([("q", "a")])),
        (ValueError, "the grade of 'c0' for the question 'q1' is 0.5, but it must", graded({"q1": {"c0": 0.5}})),
        (ValueError, "is '1', but it must be a whole number", graded({"q1": {"c0": "1"}})),
        (ValueError, "is inf", graded({"q1": {"c0": float("inf")}})),
        (ValueError, "is None", graded({"q1": {"c0": None}})),
    ],
)
def test_an_argument_is_used_or_refused(error, match, change):
    stated: dict[str, Any] = {"run": RUN, "questions": QUESTIONS, "measures": ["MRR"], "metrics": ["f1"]}
    with pytest.raises(error, match=match):
        evaluate(**{**stated, **change})


def test_an_unknown_document_is_an_error_by_default():
    run = Run("sys", {"q1": {"c0": 1.0, "x": 0.0}})
    with pytest.raises(LookupError, match="'x' for the question 'q1'"):
        evaluate(run, QUESTIONS, ["MRR"])
    assert evaluate(run, QUESTIONS, ["MRR"], strict=False).values["MRR"][0] == 1.0
    assert evaluate(run, replace(QUESTIONS, judged={"q1": {"x": 0}}), ["MRR"]).values["MRR"][0] == 1.0


def test_other_grades_may_take_the_place_of_the_questions_own():
    evaluation = evaluate(
        RUN, QUESTIONS, ["P@1"], ["f1"], qrels=Qrels({question.id: {"c1": 1} for question in QUESTIONS})
    )
    assert evaluation.values["P@1"].tolist() == [0, 0, 0, 0]
    assert evaluation.values["f1"][0] == 1.0  # the texts are still judged by the questions' own


def test_warnings_state_what_limits_the_result():
    run = Run("sys", {"q1": {"c0": 1.0, "c1": 1.0}, "q3": {"c0": 1.0, "c1": 0.0}, "q4": {"c0": 1.0}})
    assert evaluate(run, QUESTIONS, ["MRR"], ties_seed=7).warnings == (
        "1 of 4 questions are not in the run; they count 0",
        "1 of 4 questions have no relevant answer; they are left out",
        "1 of 4 questions have relevant answers only; they cannot be ranked wrongly",
        "1 of 4 questions have a tie at the top, broken by the seed 7",
    )
    assert "they count 0" in evaluate(run, QUESTIONS, ["MRR"], without_positives="zero").warnings[1]
    clean = replace(QUESTIONS, items=QUESTIONS.items[:2])
    assert evaluate(Run("sys", dict(list(RUN.scores.items())[:2])), clean, ["MRR"], ["f1"]).warnings == ()


@every(
    ("ranker", "word"),
    [
        ("r|encoder:m@17cdabe5708b", "m is circular:"),
        ("r|words:m@17cdabe5708b/input", "m is partly circular:"),
        ("", "m may be circular:"),
    ],
)
def test_circularity_is_a_warning(ranker, word):
    class Metric:
        signature = "m|encoder:m@17cdabe5708b/fp32"

        def __call__(self, pairs, /):
            return np.ones(len(pairs))  # type: ignore[arg-type]

    *_, last = evaluate(RUN._replace(signature=ranker), QUESTIONS, ["MRR"], [Metric()]).warnings
    assert last.startswith(word)


@pytest.mark.data
def test_random_scores_on_wikiqa_are_worth_what_chance_is(data_home):
    wikiqa = data.load("wikiqa", "test", home=data_home)
    names = ["MAP", "MRR", "P@1", "nDCG@5"]
    pool = {question.id: [candidate.id for candidate in question.candidates] for question in wikiqa}
    constant = evaluate(Run("constant", {entry: dict.fromkeys(ids, 0.0) for entry, ids in pool.items()}), wikiqa, names)
    assert constant.counts.questions == constant.counts.tied_at_top == 237
    rng = np.random.default_rng(0)
    drawn = [
        evaluate(Run("random", {entry: {c: rng.random() for c in ids} for entry, ids in pool.items()}), wikiqa, names)
        for _ in range(20)
    ]
    for name, near in zip(names, (0.380, 0.388, 0.173, 0.412), strict=True):  # one draw, measured elsewhere
        chance = float(np.nanmean(constant.tie_averaged[name]))
        assert chance == pytest.approx(np.mean([entry.mean(name) for entry in drawn]), abs=0.01)
        assert chance == pytest.approx(near, abs=0.015)
    assert 0.3 < constant.mean("MAP") < 0.46  # trec_eval's rule makes .263 of it


def test_grades_above_1_without_a_stated_threshold_are_reported():
    grades = {"q": {"a": 3, "b": 1, "c": 0}}
    run = Run("sys", {"q": {"a": 1.0, "b": 2.0, "c": 3.0}})
    (warning,) = evaluate(run, Qrels(grades), ["MAP"]).warnings
    assert "grades go up to 3" in warning
    assert "--relevant 2" in warning
    assert evaluate(run, Qrels(grades, relevant=2), ["MAP"]).warnings == ()


def results() -> list[Result]:
    toy = rankers.data.load("toy", "dev")
    first, second = (
        rankers.evaluate(rankers.run(name, toy), toy, ["MAP", "P@1"], ["f1"]) for name in ("word-overlap", "random")
    )
    return [first, compare(first, second, "MAP"), rankers.data.leak(rankers.data.load("toy", "train"), toy)]


@pytest.mark.parametrize("result", results(), ids=lambda result: type(result).__name__)
def test_a_result_is_a_sentence_a_table_and_data(result):
    pandas = pytest.importorskip("pandas")
    sentence = str(result)
    assert [sentence] == result.summary()
    assert "\n" not in sentence
    assert "object at" not in sentence
    content = json.loads(result.to_json())
    assert content["summary"] == [sentence]
    assert list(result.to_pandas().columns) == list(result.records()[0])
    assert isinstance(result.to_pandas(), pandas.DataFrame)
    assert r"\begin{tabular}" in result.to_latex()
    assert "| --- |" in result.to_markdown()
    assert "<table>" in result._repr_html_()
    if isinstance(result, Evaluation):  # it states the mean and its interval
        row = result.records()[0]
        assert f"MAP {row['value']:.3f} [{row['low']:.3f} .. {row['high']:.3f}]" in sentence
        assert sentence.startswith("word-overlap on toy dev, 60 questions: ")
    first = next(iter(result.tables())).rows[0]
    assert all(cell in result.to_markdown() and cell in result._repr_html_() for cell in first)
