"""The correlation study: every number is scipy's or a loop's, every p is one, and one seed gives one answer."""

import json
import math

import numpy as np
import pytest

import answersim
from answersim.calibration.scores import Scores
from answersim.evaluation.agreement import correlate
from answersim.evaluation.agreement.judgments import Judgments, judgments
from answersim.stats.resampling import Bootstrap
from tests.cases import every
from tests.evaluation.agreement.made_judgments import judged


def test_one_seed_gives_one_answer_and_another_seed_another():
    data = judged(60)
    one, again, other = (correlate(data, bootstrap=Bootstrap(resamples=50, rng=seed)).to_dict() for seed in (3, 3, 4))
    assert json.dumps(one) == json.dumps(again)
    assert one["rows"] != other["rows"]
    drawn = [
        correlate(data, bootstrap=Bootstrap(resamples=50, rng=np.random.default_rng(5))).to_dict() for _ in range(2)
    ]
    assert drawn[0] == drawn[1]


def test_a_subset_that_is_too_small_is_left_out_with_a_note():
    data = judged(60)
    columns = {"rare": ["yes" if i < 4 else "no" for i in range(60)]}
    agreement = correlate(
        Judgments(data.name, data.lang, data.pairs, data.labels, scores=data.scores, columns=columns),
        by=["rare"],
        bootstrap=Bootstrap(resamples=20),
    )
    assert [subset.name for subset in agreement.subsets] == ["all", "F1=0", "F1!=0", "rare=no"]
    assert agreement.notes == ("rare=yes is left out: it has 4 rows, but at least 10 are needed",)


def test_metrics_are_computed_on_the_spot_and_data_are_read_at_the_entrance():
    columns = {
        "gold": [pair.gold for pair in judged().pairs],
        "pred": [pair.pred for pair in judged().pairs],
        "verdict": judged().labels,
        "year": list(range(120)),
    }
    agreement = correlate(columns, ["f1"], label="verdict", by=["year"], bootstrap=Bootstrap(resamples=20))
    assert agreement.metrics == ("f1",)
    assert agreement.row("f1").signature == "f1|text:en|rev:1"
    again = correlate(
        judgments(columns, label="verdict", columns=["year"]), ["f1"], by=["year"], bootstrap=Bootstrap(resamples=20)
    )
    assert json.dumps(again.to_dict()) == json.dumps(agreement.to_dict())


@every(
    ("how", "message"),
    [
        ({"against": "goood"}, "did you mean 'good'"),
        ({"compare": ("tau",)}, "no coefficient is called 'tau'"),
        ({"tests": ("wilcoxon",)}, "no test is called 'wilcoxon'"),
        ({"method": "basic"}, "no method is called 'basic'"),
        ({"bootstrap": 95}, "bootstrap is 95"),
        ({"test_resamples": 0}, "0 resamples are too few"),
        ({"by": ["colour"]}, "no column to make subsets by is called 'colour'"),
        ({"gold": "answer"}, "are Judgments already"),
    ],
)
def test_what_cannot_be_studied_is_stated_before_any_work(how, message):
    with pytest.raises((LookupError, ValueError, TypeError), match=message):
        correlate(judged(30), **how)


def test_data_without_scores_rows_or_differences_are_refused():
    data = judged(30)
    with pytest.raises(ValueError, match="has no scores; name metrics"):
        correlate(Judgments("toy", "en", data.pairs, data.labels))
    with pytest.raises(ValueError, match="has 4 labeled pairs"):
        correlate(data.where(np.arange(30) < 4))
    with pytest.raises(ValueError, match="every label is 1"):
        correlate(Judgments("toy", "en", data.pairs, np.ones(30), scores=data.scores))
    with pytest.raises(ValueError, match="odd contain nan"):
        correlate(Judgments("toy", "en", data.pairs, data.labels, scores={"odd": Scores([math.nan] * 30)}))


TABLE = {"gold": ["Rome"] * 12, "pred": ["in Rome", "Oslo", "rome"] * 4, "label": [1, 0, 2] * 4, "q": ["who?"] * 12}


@every(
    ("data", "how", "message"),
    [
        ("judged", {"label": "label"}, "label is 'label', but the data are Judgments"),
        ("judged", {"profile": "squad"}, "profile is 'squad', but no metric is given by name"),
        ("judged", {"gold": "gold"}, "gold= sets how data are read"),
        ("table", {"metric": ["f1"], "question": "q"}, r"question is 'q', but f1 reads no question.*leave it out"),
        ("table", {"scores": [], "profile": "squad"}, "profile is 'squad', but no metric is given by name"),
        ("table", {"metric": [answersim.metric("f1")], "profile": "squad"}, "f1.*is already built"),
        ("table", {"metric": ["f1"], "by": "length"}, r"by is the string 'length'.*give \['length'\]"),
    ],
)
def test_an_argument_that_a_study_would_ignore_is_refused(data, how, message):
    with pytest.raises((TypeError, ValueError), match=message):
        correlate(judged() if data == "judged" else TABLE, **{"bootstrap": Bootstrap(resamples=5)} | how)


def test_questions_that_make_subsets_are_read():
    agreement = correlate(TABLE, ["f1"], question="q", by=["question"], bootstrap=Bootstrap(resamples=5))
    assert any("question" in subset.name for subset in agreement.subsets)


@every(("shares", "n_notes"), [([0.1, 0.5], 1), ([0.5, 0.5], 0), (["x", "y"], 0)])
def test_a_sample_with_unequal_probabilities_is_noted_and_is_no_score(shares, n_notes):
    pairs = {"gold": ["Rome"] * 12, "pred": ["in Rome", "Oslo", "rome"] * 4, "label": [1, 0, 2] * 4}
    drawn = {"inclusion": shares * 6, "stratum": [0, 1] * 6, "tool": [0.9, 0.1, 0.8] * 4}
    agreement = correlate(pairs | drawn, bootstrap=Bootstrap(resamples=20))
    assert {row.metric for row in agreement.rows} == {"tool"}
    notes = [note for note in agreement.notes if "drawn with probabilities from 0.1 to 0.5" in note]
    assert len(notes) == n_notes


def test_metrics_may_be_given_by_names_of_their_own():
    data = {"gold": ["Rome"] * 12, "pred": ["in Rome", "Oslo", "rome"] * 4, "label": [1, 0, 2] * 4}
    found = correlate(
        data, {"mine": answersim.metric("f1"), "other": answersim.metric("em")}, bootstrap=Bootstrap(resamples=5)
    )
    assert {row.metric for row in found.rows} == {"mine", "other"}
