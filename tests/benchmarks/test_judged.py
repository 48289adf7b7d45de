"""Benchmarks on judged answers: quality, relabeling, and what they are made of."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import answersim
from benchmarks import judged, relabeling
from benchmarks.judged_quality import area, called, qualities
from benchmarks.judged_quality import judged as judged_answers
from benchmarks.judged_scores import columns_of
from benchmarks.judged_sets import SETS, chosen, learned
from benchmarks.relabeling import BY_MEANING, REMOVED, TABLES
from tests.benchmarks.made import ANSWERS, column, metrics


@pytest.mark.data
def test_lexical_metrics_on_evouna_have_their_known_numbers(data_home, monkeypatch):
    if not (data_home / "judged").is_dir():
        pytest.skip("needs the judged answers: $ANSWERSIM_DATA/judged/")
    monkeypatch.setenv("ANSWERSIM_DATA", str(data_home))
    answers = SETS["evouna"].load()
    verdicts = np.array([answer.verdict for answer in answers])
    columns = {entry.name: entry.values for entry in columns_of(answers, metrics("em", "f1", "recall", "containment"))}
    accuracy = {name: ((values >= 0.5) == verdicts).mean() for name, values in columns.items()}
    assert accuracy == pytest.approx({"em": 0.363, "f1": 0.431, "recall": 0.936, "containment": 0.901}, abs=0.0015)
    once = np.ones((1, len(verdicts)), dtype=np.int32)
    areas = [area(columns[name], verdicts, once)[0] for name in ("f1", "recall")]
    assert areas == pytest.approx([0.905, 0.966], abs=0.001)


class TestSets:
    def test_the_sets_are_those_that_may_be_reported_and_state_their_use(self):
        assert [judged_set.name for judged_set in chosen([])] == [
            *("evouna-test", "efficientqa-sas", "efficientqa-sas-recorded", "efficientqa-other-test"),
            *("efficientqa-other", "evouna-dev"),
        ]
        assert [judged_set.name for judged_set in chosen(["evouna", "evouna-test"])] == ["evouna-test", "evouna"]
        for judged_set in SETS.values():
            assert judged_set.use.startswith("held out" if judged_set.held_out else "NOT held out")

    def test_the_metrics_that_learned_from_evouna_are_those_whose_adapters_name_it(self):
        from answersim.metrics.checkpoints import profiles
        from answersim.metrics.composite.ensemble import PARTS

        recipes = {
            "sas": profiles.SAS_ADAPTER,
            "sas-answers": profiles.SAS_ANSWERS_ADAPTER,
            "bi-encoder-answers": profiles.ANSWERS_ADAPTER,
            "bertscore-answers": profiles.ANSWERS_ADAPTER,
        }
        for name, folder in recipes.items():
            card = (folder / "README.md").read_text(encoding="utf-8")
            assert re.search(r"EVOUNA (is split by a hash|TriviaQA: train for training, dev for choices)", card)
            assert learned(name)
            assert learned(name, "paper") == ""
        names = (profiles.NAMES_ADAPTER / "README.md").read_text(encoding="utf-8")
        assert "No question of EVOUNA was used for training or for a choice." in names
        assert set(PARTS) & set(recipes)  # so the combination of them learned from it too
        assert {name for name in answersim.names() if learned(name)} == {*recipes, "answersim"}

    def test_a_metric_is_not_evaluated_on_questions_that_trained_it(self, monkeypatch):
        built = {"f1": answersim.metric("f1"), "sas": answersim.metric("em")}
        lines = []
        monkeypatch.setattr(judged, "say", lines.append)
        assert [*judged._untaught(SETS["evouna"], built, "embedded")] == ["f1"]
        assert lines == ["evouna: sas left out, because its questions trained them"]
        assert [*judged._untaught(SETS["evouna"], built, "paper")] == ["f1", "sas"]
        assert [*judged._untaught(SETS["evouna-test"], built, "embedded")] == ["f1", "sas"]


class TestQuality:
    def test_the_measures_of_a_row_by_hand(self):
        whole, short, long, first, two = qualities(judged_answers("x", ANSWERS, 50), columns_of(ANSWERS, metrics("em")))
        # 20 correct answers score 1; 15 correct and 5 wrong ones score 0.
        assert whole.auc == pytest.approx((20 + 15 / 2) / 35)
        assert whole.accuracy_at_half == pytest.approx((20 + 5) / 40)
        # To call all answers correct is best: 35 of 40.
        assert (whole.accuracy, whole.true_positive_rate, whole.true_negative_rate) == (0.875, 1, 0)
        assert np.isnan(whole.kappa)  # every prediction is accepted
        assert np.isnan(whole.mcc)
        assert whole.accuracy_low < whole.accuracy < whole.accuracy_high
        assert (short.n, short.base_rate, long.base_rate) == (20, 1, 0.75)
        assert np.isnan(short.auc)
        assert (first.accuracy_at_half, two.accuracy_at_half, two.auc) == (1, 0.25, 0.5)

    def test_a_question_is_called_by_a_threshold_that_it_did_not_choose(self):
        judged_set = judged_answers("x", ANSWERS, 5)
        scores = np.random.default_rng(0).random(40)
        verdicts, _ = called(judged_set, column(scores))
        question = judged_set.question == 3
        flipped = judged_set._replace(verdicts=judged_set.verdicts ^ question)
        assert (called(flipped, column(scores))[0][question] == verdicts[question]).all()


@pytest.mark.data
def test_the_corrections_of_nq_open_are_those_of_its_files(data_home: Path) -> None:
    by_name = {correction.name: correction for correction in relabeling.corrections()}
    table, removed, second = by_name[TABLES], by_name[REMOVED], by_name[BY_MEANING]
    changed = table.pairs.labels != table.after
    assert (len(table.after), changed.sum()) == (
        3559,
        40,
    )  # 40 labels were raised: see answersim.evaluation.data.datasets
    assert (table.after[changed] > table.pairs.labels[changed]).all()
    assert (table.pairs.recorded["sas"][changed] > 0.5).sum() > 30  # the authors looked where SAS disagreed
    assert (len(removed.after), (~removed.kept).sum()) == (3658, 3658 - 3559)
    assert (removed.kept & (removed.pairs.labels != removed.after)).sum() == 40
    assert len(second.after) == 1547
    assert set(second.after.tolist()) == {0.0, 1.0, 2.0}
