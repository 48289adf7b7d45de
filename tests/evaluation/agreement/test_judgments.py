"""Judged pairs are read from any table, divided into subsets, and agree by yes and no and by order of systems."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from answersim import metric, read_answers
from answersim.calibration.scores import Scores
from answersim.evaluation.agreement.coefficients.binary import MEASURES, binary_rows
from answersim.evaluation.agreement.coefficients.system_order import system_order_rows
from answersim.evaluation.agreement.judgments import Judgments, judgments
from answersim.evaluation.agreement.study import correlate
from answersim.evaluation.agreement.subsets import f1_is_zero, paper_subsets, question_kind, subsets
from answersim.evaluation.data.labeled import LabeledPairs
from answersim.evaluation.data.row_groups import by_values
from answersim.stats.coefficients.confusion import Confusion, cells
from answersim.stats.intervals.resampling import Bootstrap
from answersim.types import Pair
from tests.cases import every

COLUMNS = {
    "id": [1, 2, 3],
    "gold": ["NA", "Rome", "1945"],
    "pred": ["None", "in Rome", "1946"],
    "label": [0, 2, 1],
    "tool": [0.1, 0.9, 0.5],
    "source": ["web", "book", "web"],
    "question": ["who?", "where?", "when?"],
}


def test_a_file_a_data_frame_and_columns_say_the_same(tmp_path):
    path = tmp_path / "judged.csv"
    pd.DataFrame(COLUMNS).to_csv(path, index=False)
    result = [judgments(entry, question="question") for entry in (path, pd.DataFrame(COLUMNS), COLUMNS)]
    assert [entry.name for entry in result] == ["judged", "judgments", "judgments"]
    for row in result:
        assert row.pairs == (Pair("NA", "None"), Pair("Rome", "in Rome"), Pair("1945", "1946"))
        assert row.labels.tolist() == [0.0, 2.0, 1.0]
        assert row.scores["tool"].values.tolist() == [0.1, 0.9, 0.5]
        assert list(row.scores) == ["tool"]
        assert row.questions == ("who?", "where?", "when?")
        assert list(row.columns) == ["id", "source"]
        assert row.lang == "en"


def test_a_column_that_bears_the_name_of_a_computed_metric_is_kept_apart():
    data = judgments(COLUMNS | {"f1": [0.3, 0.2, 0.1]}).scored("f1")
    assert data.scores["f1 (file)"].values.tolist() == [0.3, 0.2, 0.1]
    assert data.scores["f1"].signature.startswith("f1|")


def test_the_label_of_several_raters_is_their_mean():
    data = judgments(COLUMNS | {"other": [1, None, 1]}, label=["label", "other"])
    assert data.labels.tolist() == [0.5, 2.0, 1.0]
    np.testing.assert_array_equal(data.raters["other"], [1.0, np.nan, 1.0])


def test_rows_that_nobody_judged_are_left_out_and_counted():
    with pytest.warns(UserWarning, match="1 of 3 rows have no label"):
        data = judgments(COLUMNS | {"label": ["0", " ", "1"]}, question="question")
    assert data.pairs == (Pair("NA", "None"), Pair("1945", "1946"))
    assert data.scores["tool"].values.tolist() == [0.1, 0.5]
    assert data.columns["source"] == ["web", "web"]
    assert data.questions == ("who?", "when?")


def test_of_several_references_the_best_counts_and_the_nearest_is_kept(tmp_path):
    path = tmp_path / "several.jsonl"
    preds = ("New York", "nycity")
    golds = ["Big Apple", "New York City", "NYC"]
    rows = [{"gold": golds, "pred": pred, "label": 2} for pred in preds]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    data = judgments(path).take([1, 0]).scored(["f1", "chrf"])
    assert data.pairs == (Pair("Big Apple", "nycity"), Pair("New York City", "New York"))
    assert data.scores["f1"].values.tolist() == [0.0, 0.8]
    alone = metric("chrf")([Pair(gold, "nycity") for gold in golds])  # no word is shared, but letters are
    assert data.scores["chrf"].values[0] == alone.max() > alone[0]


def test_a_subset_keeps_all_that_is_its_own():
    columns = COLUMNS | {"other": [1, None, 1]}
    whole = judgments(columns, label=["label", "other"], question="question").scored("f1")
    part = whole.where(np.array([False, True, True]))
    assert part.pairs == whole.pairs[1:]
    assert part.scores["f1"].values.tolist() == whole.scores["f1"].values[1:].tolist()
    assert part.scores["f1"].signature == whole.scores["f1"].signature
    assert part.columns["id"] == [2, 3]
    assert part.questions == ("where?", "when?")
    np.testing.assert_array_equal(part.raters["other"], [np.nan, 1.0])


@every(
    ("changed", "how", "message"),
    [
        ({}, {"label": "labels"}, "did you mean 'label'"),
        ({}, {"label": []}, "label names no column"),
        ({}, {"label": ["label", "label"]}, "requested twice"),
        ({}, {"scores": ["source"]}, "row 1: the score 'source' is 'web'"),
        ({"label": [0, "good", 1]}, {}, "row 2: 'label' is 'good', but it must be a number"),
        ({"label": [0, float("inf"), 1]}, {}, "row 2: 'label' is inf, but it must be a finite number"),
        ({"label": ["", "", ""]}, {}, "none has a label"),
        ({"pred": ["a", b"c", "b"]}, {}, "row 2: 'pred' is b'c'"),
        ({"pred": ["a"]}, {}, "different lengths"),
    ],
)
def test_what_cannot_be_read_is_stated_in_one_line(changed, how, message):
    with pytest.raises((ValueError, LookupError), match=message):
        judgments(COLUMNS | changed, **how)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "nan", "-inf", None, ""])
def test_a_column_of_scores_with_a_gap_is_left_out_aloud_and_refused_by_name(value):
    flawed = COLUMNS | {"tool": [0.1, value, 0.5], "label": [None, 2, 1], "other": [1.0, 2.0, 3.0]}
    with (
        pytest.warns(UserWarning, match="1 of 3 rows"),
        pytest.warns(UserWarning, match=r"row 2: the score 'tool' is .* not studied as scores"),
    ):
        data = judgments(flawed)
    assert list(data.scores) == ["other"]
    with pytest.warns(UserWarning, match="1 of 3 rows"), pytest.raises(ValueError, match="row 2: the score 'tool' is"):
        judgments(flawed, scores=["tool"])


def test_a_table_without_rows_is_refused(tmp_path):
    (tmp_path / "empty.csv").write_text("gold,pred,label\n")
    with pytest.raises(ValueError, match=r"empty\.csv has no rows"):
        judgments(tmp_path / "empty.csv")


def test_a_column_that_stands_twice_in_a_data_frame_is_refused():
    frame = pd.DataFrame([["a", "b", 1, 2]], columns=["gold", "pred", "label", "label"])
    with pytest.raises(ValueError, match="has the column 'label' twice"):
        judgments(frame)


def test_a_column_has_one_role():
    for settings in ({"pred": "gold"}, {"question": "gold"}):
        with pytest.raises(ValueError, match="both name the column 'gold'"):
            judgments(COLUMNS, **settings)
    for columns in ({"label": ["label", "gold"]}, {"scores": ["label"]}):
        with pytest.raises(ValueError, match="is requested twice"):
            judgments(COLUMNS, **columns)
    with pytest.raises(ValueError, match="'label' contains answers, labels or scores"):
        judgments(COLUMNS, columns=["label"])


def test_no_scores_take_the_name_of_others():
    with pytest.raises(ValueError, match=r"two columns of scores would be called 'f1 \(file\)'"):
        judgments(COLUMNS | {"f1": [0, 0, 1], "f1 (file)": [1, 0, 1]}).scored("f1")


TABLE = {
    "gold": ["Rome", ["Oslo", "Kristiania"]],
    "a": ["in Rome", "Oslo"],
    "b": ["Paris", ""],
    "l_a": [1, 1],
    "l_b": [0, None],
    "part": ["x", "y"],
}


def test_each_answer_has_the_label_of_its_system() -> None:
    with pytest.warns(UserWarning, match="1 of 4 rows have no label"):
        rows = judgments(TABLE, pred=["a", "b"], label=["l_a", "l_b"], columns=["part"])
    assert [pair.pred for pair in rows.pairs] == ["in Rome", "Oslo", "Paris"]
    assert rows.golds == ["Rome", ["Oslo", "Kristiania"], "Rome"]
    assert dict(rows.columns) == {"part": ["x", "y", "x"], "system": ["a", "a", "b"]}
    assert rows.labels.tolist() == [1, 1, 0]


def test_one_table_per_system_has_its_own_labels(tmp_path: Path) -> None:
    for name, pred in (("a", "in Rome"), ("b", "Paris")):
        row = {"id": 7, "gold": "Rome", "pred": pred, "label": int(name == "a"), "part": "x"}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row) + "\n")
    judged = judgments(read_answers([tmp_path / "a.jsonl", tmp_path / "b.jsonl"]), columns=["part"])
    assert judged.labels.tolist() == [1, 0]
    assert judged.columns["system"] == ["a", "b"]
    assert judged.columns["part"] == ["x", "x"]


@every(
    ("how", "error", "message"),
    [
        ({"pred": ["a", "b"], "label": ["l_a"]}, ValueError, "1 column is given for 2 systems"),
        ({"pred": "a", "label": "l_aa"}, LookupError, "did you mean 'l_a'"),
        ({"pred": ["a", "b"], "label": ["l_a", "l_b"], "columns": ["kind"]}, LookupError, "no column 'kind'"),
    ],
)
def test_a_missing_column_and_a_wrong_number_of_columns_are_errors(how, error, message) -> None:
    with pytest.raises(error, match=message):
        judgments(TABLE, **how)


SPLIT_COLUMNS: dict[str, list[Any]] = {
    "gold": ["Rome", "the big blue whale", "Oslo", "1", "Paris France", "a b c d e f g"],
    "pred": ["rome", "whale", "Bergen", "2", "Lyon", "g"],
    "label": [1, 1, 0, 0, 1, 1],
    "question": ["Where?", "what is it", "Which town?", "how many", "name it", "Who?"],
    "source": ["x", "y", "x", "y", "x", "y"],
    "year": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
}


def found(by, **changed):
    return subsets(judgments(SPLIT_COLUMNS | changed, question="question", lang="en"), by)


def test_all_and_the_two_of_shared_words_are_always_there():
    parts = found([])
    assert list(parts) == ["all", "F1=0", "F1!=0"]
    assert parts["F1=0"].tolist() == [False, False, True, True, True, False]
    assert (parts["F1=0"] ^ parts["F1!=0"]).all()


@every("by", ["length", "question", "lang", "source", "year"])
def test_the_subsets_of_one_kind_hold_every_row_once(by):
    parts = [mask for name, mask in found([by]).items() if name.startswith(f"{by}=")]
    assert np.sum(parts, axis=0).tolist() == [1] * 6


def test_lengths_are_counted_in_words_of_the_gold_answer():
    parts = found(["length"])
    assert parts["length=0-1"].tolist() == [True, False, True, True, False, False]
    assert parts["length=2"].tolist() == [False, False, False, False, True, False]
    assert parts["length=3-5"].tolist() == [False, True, False, False, False, False]
    assert parts["length=6+"].tolist() == [False] * 5 + [True]


def test_questions_are_reported_by_the_word_that_asks():
    assert [name.removeprefix("question=") for name in found(["question"]) if "question" in name] == [
        *("how many", "what", "where", "which", "who", "other")
    ]
    assert question_kind("In welchem Jahr starb er?", "de") == "welche"
    assert question_kind("Wie viele Monde hat er?", "de-AT") == "wie viele"
    assert question_kind("somewhere over the rainbow") == "other"
    assert (question_kind("Whose?", "en"), question_kind("Wem?", "de")) == ("who", "wer")


def test_a_column_of_many_numbers_is_cut_into_quarters():
    year = list(range(100))
    columns = {name: [values[i % 6] for i in range(100)] for name, values in SPLIT_COLUMNS.items()}
    parts = subsets(judgments(columns | {"year": year}), ["year"])
    assert [name for name in parts if "year" in name] == [
        "year=0 .. 24.75",
        "year=24.75 .. 49.5",
        "year=49.5 .. 74.25",
        "year=74.25 .. 99",
    ]
    assert [int(mask.sum()) for name, mask in parts.items() if "year" in name] == [25] * 4
    assert [int(mask.sum()) for mask in by_values("n", range(101)).values()] == [25, 25, 25, 26]  # 25 is in the second
    assert len(by_values("n", range(20))) == 20


def test_what_makes_no_subsets_is_refused():
    with pytest.raises(LookupError, match="did you mean 'source'"):
        found(["sources"])
    unasked = {name: values for name, values in SPLIT_COLUMNS.items() if name != "question"}
    with pytest.raises(ValueError, match="has no questions"):
        subsets(judgments(unasked), ["question"])
    columns = {name: [values[i % 6] for i in range(30)] for name, values in SPLIT_COLUMNS.items()}
    with pytest.raises(ValueError, match="30 different values"):
        subsets(judgments(columns | {"note": [f"n{i}" for i in range(30)]}), ["note"])
    for odd in ([*map(str, range(21)), "nan"], [*range(21), "inf"]):
        with pytest.raises(
            ValueError, match="'x' has 22 different values, but a column that defines subsets has at most 20"
        ):
            by_values("x", odd)


def test_where_f1_is_0_is_decided_by_the_words_of_the_language_that_is_named():
    pairs = [
        Pair("der Hund", "der Baum"),
        Pair("the dog", "the tree"),
        Pair("US", "Russia"),
        Pair("The", "A"),
        Pair("", ""),
    ]
    masks = {
        key: f1_is_zero(pairs, lang=key[0], profile=key[1]).tolist()
        for key in (("de", None), ("en", None), ("en", "squad"))
    }
    assert masks["de", None] == [True, False, True, True, False]
    assert masks["en", None] == [False, True, True, True, False]
    assert masks["en", "squad"] == [False, True, True, False, False]  # no word is left of "The" and "A": both are empty


def test_a_recorded_f1_decides_where_it_is_0():
    pairs = (Pair("a b", "c"), Pair("b", "b"))
    data = LabeledPairs("probe", "en", pairs, np.array([0, 1]), recorded={"f1": np.array([0.3, 0])})
    assert paper_subsets(data)["F1=0"].tolist() == [False, True]


def test_all_that_split_by_shared_words_ask_the_same_function(monkeypatch):
    """Study, tables of the paper and regression report have no rule of their own."""
    from answersim.training import regression
    from benchmarks import figures, paper_sets

    def every(pairs, *, lang, profile):
        return np.arange(len(pairs)) == 1

    pairs = (Pair("x", "x"), Pair("y", "y"), Pair("z", "q"))
    data = LabeledPairs("probe", "en", pairs, [0, 1, 2])
    monkeypatch.setattr("answersim.evaluation.agreement.subsets.f1_is_zero", every)
    for split in (regression.subsets, paper_sets.subsets, figures.parts):
        assert split(data)["F1=0"].tolist() == [False, True, False]
        assert split(data)["F1!=0"].tolist() == [True, False, True]
    table = {"gold": ["x", "y", "z"], "pred": ["x", "y", "q"], "label": [0, 1, 2]}
    assert subsets(judgments(table))["F1=0"].tolist() == [False, True, False]


HOW = {"level": 0.95, "resamples": 400, "seed": 0}


def judged(n: int = 200, wrong: float = 0.1, raters: int = 0, copies: int = 1, seed: int = 0) -> Judgments:
    """Answers with verdicts; the metric "good" errs on a share of them, "flat" is constant."""
    rng = np.random.default_rng(seed)
    labels = (rng.random(n) < 0.7).astype(float)
    good = np.where(rng.random(n) < wrong, 1 - labels, labels) + 0.01 * rng.random(n)
    people = {f"rater {i}": np.where(rng.random(n) < 0.05, 1 - labels, labels) for i in range(raters)}
    columns = {name: np.repeat(values, copies) for name, values in {"labels": labels, "good": good, **people}.items()}
    pairs = tuple(Pair(f"gold {i // copies}", "a word" * (1 + i % 3)) for i in range(n * copies))
    return Judgments(
        "made",
        "en",
        pairs,
        np.mean([columns[name] for name in people], axis=0) if people else columns["labels"],
        questions=tuple(f"q{i // copies}" for i in range(n * copies)),
        scores={"good": Scores(columns["good"], "good|rev:1"), "flat": Scores(np.zeros(n * copies))},
        raters={name: columns[name] for name in people},
    )


def test_measures_follow_from_the_confusion_at_the_threshold() -> None:
    data = judged()
    rows = {row.column: row for row in binary_rows(data, "all", **HOW)}
    assert list(rows) == ["good", "flat", "length", "constant"]
    good = rows["good"]
    assert 0.01 < good.threshold < 1
    expected = Confusion(*cells(data.scores["good"].values > 0.5, data.labels).sum(axis=1))
    for name, measure in MEASURES.items():
        value, low, high = good.measures[name]
        assert value == pytest.approx(float(measure(expected)))
        assert low < value < high
    assert good.prevalence.value == pytest.approx(data.labels.mean())
    assert (good.n, good.clusters, good.kind, good.against) == (200, 200, "metric", "label")


def test_a_constant_score_has_no_kappa_and_the_accuracy_of_one_verdict() -> None:
    pairs = tuple(Pair(f"gold {i}", "word") for i in range(40))
    flat = {"em": Scores(np.zeros(40), "em|rev:1")}
    data = Judgments("made", "en", pairs, np.arange(40) % 2.0, scores=flat)
    for row in binary_rows(data, "all", **HOW):
        assert row.measures["accuracy"].value == 0.5
        assert np.isnan([row.measures["kappa"], row.measures["mcc"]]).all()


def test_rows_of_one_question_are_drawn_together() -> None:
    once = next(binary_rows(judged(), "all", **HOW)).measures["accuracy"]
    copies = next(binary_rows(judged(copies=5), "all", **HOW)).measures["accuracy"]
    assert copies.value == pytest.approx(once.value)
    assert copies.high - copies.low == pytest.approx(once.high - once.low, rel=0.2)


def test_each_rater_is_compared_with_the_metrics_and_with_the_others() -> None:
    data = judged(raters=3)
    rows = list(binary_rows(data, "all", **HOW))
    assert [row.against for row in rows if row.column == "good"] == ["rater 0", "rater 1", "rater 2"]
    between = [(row.against, row.column) for row in rows if row.kind == "rater"]
    assert between == [(f"rater {i}", f"rater {j}") for i in range(3) for j in range(3) if i != j]
    first = next(row for row in rows if row.kind == "rater")
    agreed = (data.raters["rater 0"] == data.raters["rater 1"]).mean()
    assert first.measures["accuracy"].value == pytest.approx(agreed)
    assert math.isnan(first.threshold)


def test_rows_without_a_label_of_a_rater_are_left_out() -> None:
    data = judged(raters=2)
    partly = np.where(np.arange(200) < 120, data.raters["rater 1"], np.nan)
    part = Judgments(
        *("made", "en", data.pairs, data.raters["rater 0"]),
        questions=data.questions,
        scores=data.scores,
        raters={"rater 0": data.raters["rater 0"], "rater 1": partly},
    )
    rows = list(binary_rows(part, "all", **HOW))
    assert {(row.against, row.n) for row in rows if row.kind == "metric"} == {
        ("label", 200),
        ("rater 0", 200),
        ("rater 1", 120),
    }
    shared = next(row for row in rows if (row.against, row.column) == ("rater 0", "rater 1"))
    both = cells(partly[:120] == 1, data.raters["rater 0"][:120] == 1).sum(axis=1)
    assert shared.n == 120
    assert shared.measures["accuracy"].value == pytest.approx((both[0] + both[3]) / 120)


@every("labels", [np.arange(200) % 3, np.zeros(200)])
def test_labels_that_are_no_yes_and_no_give_no_rows(labels: np.ndarray) -> None:
    data = judged()
    other = Judgments("made", "en", data.pairs, labels.astype(float), scores=data.scores)
    assert list(binary_rows(other, "all", **HOW)) == []


def test_the_study_prints_one_correlation_and_the_measures() -> None:
    agreement = correlate(judged(), bootstrap=Bootstrap(resamples=50))
    assert {row.subset for row in agreement.binary} >= {"all"}
    first, second, *_ = agreement.tables()
    assert first.header[:3] == ("metric", "auc>=1", "95%")
    assert first.header[-4:] == ("tau-b", "pearson", "spearman", "tied")
    assert "tau-b rewards ties" in first.notes[1]
    by_tau = next(correlate(judged(), bootstrap=Bootstrap(resamples=50), compare=("tau-b",)).tables())
    assert by_tau.header == ("metric", "tau-b", "95%", "ceiling", "auc>=1", "tied")
    assert "only tau-b is printed" in by_tau.notes[1]
    assert second.title == "all: agreement on yes and no"
    assert second.header == ("column", "accuracy", "kappa", "MCC", "TPR", "TNR", "F1", "called", "threshold")
    assert [row[0] for row in second.rows] == ["good", "flat", "length (baseline)", "constant (baseline)"]
    record = agreement.to_dict()["binary"][0]
    assert record["measures"]["kappa"]["value"] == pytest.approx(agreement.binary[0].measures["kappa"].value)


def three_systems(questions: int = 30) -> Judgments:
    """Three systems; the metric "good" is the label, and "bad" its opposite."""
    rng = np.random.default_rng(0)
    labels = (rng.random((questions, 3)) < [0.9, 0.6, 0.3]).astype(float).ravel()
    n = len(labels)
    return Judgments(
        "made",
        "en",
        tuple(Pair("gold", "two words" if i % 2 else "one") for i in range(n)),
        labels,
        questions=tuple(f"q{i // 3}" for i in range(n)),
        scores={"good": Scores(10 * labels), "bad": Scores(-labels)},
        columns={"system": ["a", "b", "c"] * questions},
    )


def test_a_metric_that_is_the_label_orders_systems_as_surely() -> None:
    rows = {row.column: row for row in system_order_rows(three_systems(), "all", seed=0)}
    assert rows["good"].accuracy == 1
    assert rows["bad"].accuracy < 0.1
    assert 0.4 < rows["constant"].accuracy < 0.7
    assert (rows["constant"].kind, rows["good"].systems, rows["good"].questions) == ("baseline", 3, 30)


def test_only_questions_that_all_systems_answered_count() -> None:
    part = three_systems().where(np.arange(90) >= 4)
    assert next(iter(system_order_rows(part, "all", seed=0))).questions == 28
    assert list(system_order_rows(three_systems(9), "all", seed=0)) == []
    assert list(system_order_rows(replace(three_systems(), columns={}), "all", seed=0)) == []
    assert list(system_order_rows(replace(three_systems(), columns={"system": ["a"] * 90}), "all", seed=0)) == []


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_all_tables_of_a_study_have_the_sentinels() -> None:
    study = correlate(three_systems(), bootstrap=Bootstrap(resamples=20), test_resamples=20)
    by_name = {table.title: [row[0] for row in table.rows] for table in study.tables() if table.title.startswith("all")}
    assert set(by_name) == {"all (n = 90)", "all: agreement on yes and no", "all: order of systems"}
    for columns in by_name.values():
        assert {"good", "bad", "length (baseline)", "constant (baseline)"} <= set(columns)
    content = study.to_dict()
    assert {"baselines", "orders"} <= set(content)
    assert content["orders"][0]["accuracy"] == 1
    assert study.metrics == ("good", "bad")
