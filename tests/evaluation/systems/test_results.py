"""The result of an evaluation: tables, changes, abstentions, JSON, the second pass, and official tables."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim._base.arrays import FloatArray
from answersim.calibration.verdicts import Verdicts, verdict_rule
from answersim.evaluation.comparison.changes import NOISE, changed, noise_of
from answersim.evaluation.data.minimal_pairs import MinimalPair
from answersim.evaluation.labels.labeled_shares import percent
from answersim.evaluation.systems.official_tables import DEFINITIONS, OURS, official_table
from answersim.evaluation.systems.results import Evaluation
from answersim.evaluation.systems.second_pass import SecondPass
from answersim.evaluation.systems.tables import AnswerRow, SystemRow, sentence
from answersim.metrics import official
from answersim.stats.intervals.resampling import Estimate
from answersim.types import Capabilities, Pair
from tests.cases import every
from tests.made_metrics import Table

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
    assert result.to_latex().splitlines()[0] == f"% {LINE}"
    assert next(iter(json.loads(result.to_json()).values())) == [LINE]
    assert result._repr_html_().startswith(f"<p><b>{LINE}</b></p>")
    assert LINE in repr(result)
    for form in (result.to_text, result.to_markdown, result.to_latex):
        assert "see w.csv" in form(where="w.csv").splitlines()[0]


def test_each_form_has_tables_answers_signature_and_notes():
    result = evaluation(("a", "b"))
    assert "Paris" not in result.to_latex()
    for text in (result.to_text(), result.to_markdown(), result.to_latex() + "Paris", result._repr_html_()):
        for words in ("kind=x", "Paris", "recall", "text:en", "a note", "questions", "a by subset"):
            assert words in text.replace(r"\_", "_"), words
    assert "Paris" not in result.to_text(shown=0)
    assert evaluation(subsets=("all", "x=b", "x=a")).subsets == ("all", "x=b", "x=a")


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
    data = {"gold": ["a"] * 3, "pred": ["a"] * 3, "other": ["b"] * 3, "s": [0.49, 0.2, 0.9], "t": [0.9, 0.2, 0.51]}
    for noise, flicker in ((None, 0), (0.02, 2)):  # numbers have no noise
        settings = {"pred": ["pred", "other"], "score": ["s", "t"], "noise": noise}
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


N = 30
FIRST = {"gold": [f"red fox{i}" for i in range(N)], "id": list(range(N))}
FIRST |= {"a": [f"red fox{i}" if i < 10 else f"some fox{i}" if i < 25 else "cats" for i in range(N)]}
FIRST |= {"b": [f"fox{i}" if i < 4 else "cats" for i in range(N)]}
FIRST |= {"question": [f"Which {i}?" for i in range(N)]}


class Judge:
    """A verdict that depends on the digit at the end of the prediction; it reads questions."""

    capabilities = Capabilities(scale="binary", reads_questions=True, cost="remote")
    reads_questions = True
    signature = "mine|v:1"

    def __init__(self) -> None:
        self.pairs: list[Pair] = []
        self.questions: list[str] = []

    def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> FloatArray:
        self.pairs += pairs
        self.questions += questions or []
        return np.array([{0: 1.0, 1: 0.5}.get(int(pred[-1]) % 3, 0.0) for _, pred in pairs])


def evaluated(**how: Any) -> answersim.Evaluation:
    return answersim.evaluate(FIRST, "recall", pred=["a", "b"], question="question", **how)


def test_only_unsure_answers_are_scored_again_and_the_others_stay():
    judge, plain = Judge(), evaluated()
    evaluation = evaluated(unsure={"mine": judge})
    unsure = [(row.system, row.row, row.question, row.pred) for row in plain.only("unsure")]
    assert [pair.pred for pair in judge.pairs] == [pred for *_, pred in unsure]
    assert judge.questions == [question for _, _, question, _ in unsure]
    assert [tuple(second) for second in evaluation.second] == [
        ("a", "mine", 15, 6, 4, 5, 0),
        ("b", "mine", 4, 2, 1, 1, 0),
    ]
    for second in evaluation.second:
        before, after = plain.row(second.system), evaluation.row(second.system)
        assert (before.unsure, after.unsure) == (second.n, second.unsure)
        assert (after.right, after.wrong) == (before.right + second.right, before.wrong + second.wrong)
        assert after.mean == before.mean
        assert after.share.value == after.right / N
    remaining = {(row.system, row.row) for row in plain.only("wrong")}
    assert remaining < {(row.system, row.row) for row in evaluation.only("wrong")}


def test_the_result_has_the_counts_the_signature_and_the_rule():
    evaluation = evaluated(unsure={"mine": Judge()})
    assert evaluation.summary()[2:] == [
        "a: mine scored the 15 unsure answers: 6 right, 4 wrong, 5 still unsure",
        "b: mine scored the 4 unsure answers: 2 right, 1 wrong, 1 still unsure",
    ]
    assert "unsure answers, by mine: mine|question:yes|v:1" in evaluation.footer()
    record = evaluation.to_dict()
    assert record["second"][1] == dict(zip(SecondPass._fields, evaluation.second[1], strict=True))
    assert record["settings"]["unsure by"]["counted by"] == "binary"
    assert evaluation.signature == "recall|text:en|rev:1"
    assert "b: mine scored the 4 unsure answers" in evaluation.to_markdown()
    assert "second" not in evaluated().to_dict()


def test_a_calibrated_second_metric_gives_its_probabilities():
    labels = [1, 0] * 20
    scores = answersim.score(["a b"] * 40, ["a b", "c"] * 20, metric="f1")
    mine = answersim.calibrate(scores, labels, bootstrap=answersim.Bootstrap(resamples=10))
    plain, result = evaluated(), evaluated(unsure=("f1", mine), keep=["right", "wrong", "unsure"])
    unsure = {(row.system, row.row) for row in plain.only("unsure")}
    seconds = [row for row in result.answers if (row.system, row.row) in unsure]
    f1 = [answersim.score(row.gold, row.pred, "f1") for row in seconds]
    assert [row.probability for row in seconds] == [float(mine.probability(score)) for score in f1]
    assert result.settings["unsure by"]["calibration"] == mine.signature


def test_a_second_metric_without_verdicts_on_short_answers_reads_the_unsure_ones_only():
    long = "the quick brown fox jumps over the lazy dog and then sleeps in the sun by the river near the old mill"
    answers = {"gold": ["Rome", long] * 2, "pred": ["in Rome", f"{long} today"] * 2}
    evaluation = answersim.evaluate(answers, "f1", unsure="rouge-l")  # neither has verdicts on two words
    assert [tuple(second) for second in evaluation.second] == [("pred", "rouge-l", 2, 0, 0, 2, 0)]


def test_no_unsure_answers_are_no_work():
    judge = Judge()
    evaluation = answersim.evaluate({"gold": ["Rome"] * 4, "pred": ["Rome"] * 4}, "em", unsure={"mine": judge})
    assert judge.pairs == []
    assert evaluation.summary()[1] == "mine scored the 0 unsure answers: 0 right, 0 wrong, 0 still unsure"


def test_an_error_of_the_second_metric_names_the_row_of_the_table():
    class Broken(Judge):
        def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> FloatArray:
            return np.array([np.nan if pred == "some fox12" else 1.0 for _, pred in pairs])

    with pytest.raises(answersim._base.errors.NonFiniteScoreError, match="pair 13 "):
        evaluated(unsure={"mine": Broken()})


@every(
    ("unsure", "how", "error", "message"),
    [
        ("recall", {}, ValueError, "unsure='recall' is given .* but it is the metric itself"),
        ("bleu", {}, ValueError, "unsure='bleu' is given .* no calibration ships for bleu"),
        ("f1", {"calibration": answersim.Verdicts(threshold=0.5)}, ValueError, "a threshold leaves no answer unsure"),
        ("f1", {"calibration": None}, ValueError, "unsure='f1' is given .* no calibration is used"),
        ("f2", {}, LookupError, "no metric is called 'f2'"),
        (("f1", "recall"), {}, ValueError, "recall is another metric than f1|f1 is another metric than recall"),
        (3, {}, TypeError, "metric is 3"),
    ],
)
def test_a_second_metric_without_effect_or_verdicts_is_refused_before_any_work(unsure, how, error, message):
    class Untouched(Judge):
        signature = "recall|text:en|rev:1"
        capabilities, reads_questions = Capabilities(), False

        def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> FloatArray:
            raise AssertionError("scored all the same")

    with pytest.raises(error, match=message):
        answersim.evaluate(FIRST, {"recall": Untouched()}, pred=["a", "b"], unsure=unsure, **how)


# 40 answers: "US" inside a longer word counts as a substring, and not as a word.
DATA = {
    "gold": [["US", "U.S."]] * 20 + [["Rome"]] * 20,
    "a": ["He used it"] * 20 + ["Rome"] * 20,
    "b": ["the U.S."] * 20 + ["Oslo"] * 20,
}


def test_the_selected_number_of_an_official_rule_is_printed() -> None:
    metric = {"official:squad": answersim.metric("official:squad", part="f1")}
    assert "mean official:squad f1 0.500 " in answersim.evaluate(DATA, metric, pred=["a"]).summary()[0]


def test_each_definition_is_the_mean_of_the_owners_rule():
    table = official_table(DATA, pred=["a", "b"], profiles=["all"])
    assert len(table.rows) == len(DEFINITIONS)
    rows = list(zip(DATA["gold"], DATA["b"], strict=True))
    by_name = {row.name: row for row in table.rows}
    em = [float(official.score("squad", golds, pred)["exact_match"]) for golds, pred in rows]
    assert by_name["official:squad"].values["b"].value == 100 * sum(em) / len(em) == 50
    assert by_name["official:triviaqa"].values["b"].value == 50  # "u s" is among the gold answers
    assert by_name["official:asqa_str_em"].values["a"].value == 100
    assert by_name[OURS].values["a"].value == 50
    low, high = by_name[OURS].values["a"][1:]
    assert 30 < low < 50 < high < 70


def test_definitions_of_one_word_that_disagree_are_named():
    table = official_table(DATA, pred=["a", "b"])
    (result, *_) = [disagreement for disagreement in table.disagreements if disagreement.word == "containment"]
    assert (result.system, result.high, result.low, result.lowest) == ("a", 100.0, 50.0, OURS)
    assert "containment of a: 100.0" in str(table)
    assert OURS in table.orders["containment"] or table.orders["containment"] == ()
    equal = official_table({"gold": ["Rome"], "pred": ["Rome"]})
    assert str(equal) == "no two definitions of one word differ by more than their intervals"
    single = official_table({"gold": ["Rome"], "pred": ["Rome"]}, profiles=["popqa"])
    assert str(single) == "1 definition on 1 question"


def test_an_order_that_depends_on_the_definition_is_named():
    data = {"gold": ["US"] * 4, "a": ["used"] * 4, "b": ["US"] * 3 + ["x"]}
    table = official_table(data, pred=["a", "b"])
    assert OURS in table.orders["containment"]
    assert any(line.startswith("the order of the systems by containment") for line in table.summary())


def test_a_profile_without_a_definition_for_short_answers_is_refused():
    with pytest.raises(LookupError, match="short answers"):
        official_table(DATA, pred="a", profiles=["mmlu_pro"])
    with pytest.raises(LookupError, match="triviaqa"):
        official_table(DATA, pred="a", profiles=["trivia"])


def family(i: int, gold: str, same: str, different: str) -> MinimalPair:
    return MinimalPair("en", "x", f"en-x-{i:03}", "dev", "", gold, same, different)
