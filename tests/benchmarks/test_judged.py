"""The program that compares metrics with verdicts: what it writes, its sets, columns, costs and tables."""

import re

import numpy as np
import pytest

import answersim
from benchmarks import judged
from benchmarks.judged_quality import area
from benchmarks.judged_scores import QUESTION, columns_of, recorded, sentinels
from benchmarks.judged_sets import SETS, chosen, learned
from tests.benchmarks.judged_samples import ANSWERS, Reader, answered, metrics


@pytest.mark.data
def test_lexical_metrics_on_evouna_have_their_known_numbers(data_home, monkeypatch):
    if not (data_home / "judged").is_dir():
        pytest.skip("needs the judged answers: $ANSWERSIM_DATA/judged/")
    monkeypatch.setenv("ANSWERSIM_DATA", str(data_home))
    answers = SETS["evouna"].load()
    verdicts = np.array([answer.verdict for answer in answers])
    columns = {one.name: one.values for one in columns_of(answers, metrics("em", "f1", "recall", "containment"))}
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


class TestColumns:
    def test_the_gold_answer_that_scores_highest_counts(self):
        (em,) = columns_of(ANSWERS, metrics("em"))
        assert (em.name, em.kind, em.signature, em.half) == ("em", "metric", "em|text:en|rev:1", True)
        assert em.values.tolist() == [1.0, 0.0] * 20

    def test_a_metric_that_reads_questions_has_a_column_with_and_one_without(self):
        plain, asked = columns_of(ANSWERS, {"r": Reader()})
        assert (plain.name, asked.name) == ("r", f"r{QUESTION}")
        assert (plain.signature, asked.signature) == ("reader", "reader|question:yes")
        assert (plain.values == 0).all()
        assert (asked.values == 1).all()

    def test_sentinels_read_the_answers_only(self):
        answers = [
            answered("q", ("a",), "one", "red car", True),
            answered("q", ("a",), "two", "the blue car", False),
            answered("q", ("a",), "three", "", False),
            answered("alone", ("a",), "one", "x y z", True),
        ]
        length, consensus, constant = sentinels(answers)
        assert length.values.tolist() == [-2, -3, 0, -3]
        assert constant.values.tolist() == [0] * 4
        # "the" is dropped: F1 of "red car" and "blue car" is 1/2, and that with the empty answer 0.
        assert consensus.values.tolist() == [0.25, 0.25, 0, 0]
        changed = [answer._replace(golds=("z",), question=answer.question * 2) for answer in answers]
        for before, after in zip(sentinels(answers), sentinels(changed), strict=True):
            assert (before.values == after.values).all()

    @pytest.mark.data
    def test_recorded_scores_are_those_of_the_same_question_and_pair(self, data_home):
        if not (data_home / "judged").is_dir():
            pytest.skip("needs the judged answers: $ANSWERSIM_DATA/judged/")
        answers = SETS["efficientqa-sas-recorded"].load()
        kept, columns = recorded(answers)
        assert (len(answers), len(kept)) == (2860, 2773)
        by_name = {scores.name: scores.values for scores in columns}
        assert len(by_name) == 10
        f1 = answersim.score_pairs([(answer.golds, answer.answer) for answer in kept], ["f1"], profile="paper")["f1"]
        assert (abs(by_name["f1 (recorded)"] - f1.values) < 1e-6).mean() > 0.98  # a wrong match would be below .9
        assert by_name["sas (recorded)"][[answer.verdict for answer in kept]].mean() > 0.5
