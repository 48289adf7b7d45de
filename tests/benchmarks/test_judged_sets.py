"""The sets of judged answers: what each may be used for, and what metrics learned from it."""

import re

import answersim
from benchmarks import judged, judged_sets
from benchmarks.judged_sets import SETS, chosen, learned
from tests.benchmarks.judged_samples import answered


class TestSets:
    def test_the_sets_are_those_that_may_be_reported_and_state_their_use(self):
        assert [judged_set.name for judged_set in chosen([])] == [
            *("evouna-test", "efficientqa-sas", "efficientqa-sas-recorded", "efficientqa-other-test"),
            *("efficientqa-other", "evouna-dev"),
        ]
        assert [judged_set.name for judged_set in chosen(["evouna", "evouna-test"])] == ["evouna-test", "evouna"]
        for judged_set in SETS.values():
            assert judged_set.use.startswith("held out" if judged_set.held_out else "NOT held out")

    def test_the_other_questions_of_efficientqa_are_split_by_their_part(self, monkeypatch):
        answers = [answered(f"q{i}", ("x",), "e", "x", True, part) for i, part in enumerate(("train", "dev", "test"))]
        asked = []

        def load(nq_open_sas):
            asked.append(nq_open_sas)
            return answers

        monkeypatch.setattr(judged_sets, "load_efficientqa", load)
        assert SETS["efficientqa-other-test"].load() == answers[2:]
        assert SETS["efficientqa-other"].load() == answers[:2]
        assert SETS["efficientqa-sas"].load() == answers
        assert asked == [False, False, True]

    def test_the_metrics_that_learned_from_evouna_are_those_whose_adapters_name_it(self):
        from answersim import profiles
        from answersim.catalog import lookup

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
        assert set(lookup.COMBINED_PARTS) & set(recipes)  # so the combination of them learned from it too
        assert {name for name in answersim.names() if learned(name)} == {*recipes, "answersim"}

    def test_a_metric_is_not_evaluated_on_questions_that_trained_it(self, monkeypatch):
        built = {"f1": answersim.metric("f1"), "sas": answersim.metric("em")}
        lines = []
        monkeypatch.setattr(judged, "say", lines.append)
        assert [*judged._untaught(SETS["evouna"], built, "embedded")] == ["f1"]
        assert lines == ["evouna: sas left out, because its questions trained them"]
        assert [*judged._untaught(SETS["evouna"], built, "paper")] == ["f1", "sas"]
        assert [*judged._untaught(SETS["evouna-test"], built, "embedded")] == ["f1", "sas"]
