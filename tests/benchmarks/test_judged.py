"""The program that compares metrics with verdicts: what it writes, its sets, columns, costs and tables."""

import json
import re

import numpy as np
import pytest

import answersim
from answersim.types import Capabilities
from benchmarks import judged, judged_costs, judged_scores, judged_sets
from benchmarks.judged_quality import area, gaps, qualities, system_orders
from benchmarks.judged_quality import judged as arrays_of
from benchmarks.judged_scores import QUESTION, columns_of, recorded, sentinels
from benchmarks.judged_sets import SETS, chosen, learned
from benchmarks.judged_tables import tables
from tests.benchmarks.judged_samples import ANSWERS, Reader, answered, metrics
from tests.benchmarks.programs import invoke


@pytest.fixture
def made(monkeypatch):
    """The made answers are the set evouna-test."""
    monkeypatch.setitem(SETS, "evouna-test", SETS["evouna-test"]._replace(load=lambda: ANSWERS))


def test_the_program_writes_tables_and_records(made, tmp_path):
    records = tmp_path / "judged.json"
    command = ("--sets", "evouna-test", "--metrics", "em,f1", "--against", "f1", "--records", str(records))
    done = invoke("judged", *command, "--format", "markdown")
    assert done.exit_code == 0
    assert done.stdout.startswith("**TriviaQA (EVOUNA), test: 40 answers to 20 questions, 87.5% of them correct**")
    read = json.loads(records.read_text(encoding="utf-8"))
    assert {name: len(table["rows"]) for name, table in read.items()} == {
        "Quality": 25,
        "Gap": 2,
        "SystemOrder": 5,
        "Cost": 2,
    }
    first = dict(zip(read["Quality"]["columns"], read["Quality"]["rows"][0], strict=True))
    assert first["auc"] == pytest.approx((20 + 15 / 2) / 35, abs=1e-6)
    assert first["mcc"] is None


def test_nothing_is_compared_if_the_recommended_metric_is_not_evaluated(made):
    done = invoke("judged", "--sets", "evouna-test", "--metrics", "em", "--no-costs", "--format", "json")
    assert "differences are left out, because answersim is none of the metrics" in done.stderr
    assert {row["table"] for row in json.loads(done.stdout)} == {"Quality", "SystemOrder"}


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

    def test_the_pieces_that_are_scored_together_do_not_matter(self, monkeypatch):
        whole = columns_of(ANSWERS, metrics("f1"))[0].values
        monkeypatch.setattr(judged_scores, "_AT_A_TIME", 7)
        assert (columns_of(ANSWERS, metrics("f1"))[0].values == whole).all()

    def test_one_half_has_a_meaning_between_zero_and_one_only(self):
        class Shifted:
            signature = "shifted"

            def __init__(self, least, most):
                self.ends = least, most

            def __call__(self, pairs, questions=None):
                return np.linspace(*self.ends, len(pairs))

        named = {"sas": (0, 1), "bi-encoder": (0, 1), "bertscore-vanilla": (0, 1), "low": (-0.1, 1), "high": (0, 1.1)}
        half = {name: columns_of(ANSWERS, {name: Shifted(*ends)})[0].half for name, ends in named.items()}
        assert half == {"sas": True, "bi-encoder": False, "bertscore-vanilla": False, "low": False, "high": False}

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

    def test_recorded_scores_are_left_out_without_their_file(self, no_data, monkeypatch):
        lines = []
        monkeypatch.setattr(judged_scores, "say", lines.append)
        assert recorded(ANSWERS) == ([], [])
        assert lines[0].startswith("recorded scores are left out: the data set 'nq-open' was not found")


class TestCosts:
    def test_a_metric_that_reads_questions_is_timed_twice_and_one_without_a_network_has_neither_sequences_nor_weights(
        self,
    ):
        cost, *others = judged_costs.costs(ANSWERS, metrics("f1") | {"r": Reader()}, 10)
        assert (cost.metric, cost.pairs, cost.sequences, cost.megabytes) == ("f1", 10, 0, 0)
        assert cost.pairs_per_second > 0 < cost.pairs_per_cpu_second
        assert [other.metric for other in others] == ["r", f"r{QUESTION}"]

    def test_answers_are_spread_over_the_set(self):
        seen = []

        class Spy(Reader):
            reads_questions = False
            capabilities = Capabilities()

            def __call__(self, pairs, questions=None):
                seen.append([pair.pred for pair in pairs])
                return np.zeros(len(pairs))

        list(judged_costs.costs(ANSWERS, {"spy": Spy()}, 4))
        assert seen[-1] == ["gold 0", "gold 5", "gold 10", "gold 15"]
        with pytest.raises(ValueError, match="there are no answers"):
            list(judged_costs.costs([], {"spy": Spy()}))

    def test_sequences_and_weights_of_networks_are_counted_once(self, tiny):
        encoder, crossed = str(tiny("bert")), str(tiny("bert", classifier=True))
        weights = (tiny("bert") / "model.safetensors").stat().st_size / 1e6
        one = answersim.metric("bi-encoder", model=encoder)
        other = answersim.metric("bertscore-trained", model=encoder, layer=2)
        assert (judged_costs.sequences(one), judged_costs.megabytes(one)) == (2, weights)
        for order, n in (("gold-pred", 1), ("mean", 2)):
            assert judged_costs.sequences(answersim.metric("sas", model=crossed, order=order)) == n

        class Both:
            signature = "both"
            parts = (one, other, answersim.metric("sas", model=crossed), answersim.metric("f1"))

            def __call__(self, pairs):
                return np.zeros(len(pairs))

            def combine(self, pairs, columns):
                return np.zeros(len(pairs))

        assert judged_costs.sequences(Both()) == 2 + 1
        head = (tiny("bert", classifier=True) / "model.safetensors").stat().st_size / 1e6
        assert judged_costs.megabytes(Both()) == pytest.approx(weights + head)


class TestTables:
    def rows(self, name):
        columns = [*columns_of(ANSWERS, {**metrics("f1"), "sas": answersim.metric("em")}), *sentinels(ANSWERS)]
        arrays = arrays_of(name, ANSWERS, 20)
        return list(qualities(arrays, columns)), gaps(arrays, columns, "f1"), system_orders(arrays, columns)

    def test_a_set_has_four_tables_and_its_use_as_a_note(self):
        found = list(tables(*self.rows("evouna-dev"), costs=[]))
        assert [table.title.split(": ", 1)[1] for table in found] == [
            "40 answers to 20 questions, 87.5% of them correct",
            "by the length of the predicted answer",
            "the order of 2 systems, 20 questions",
            "difference from f1, on the same answers",
        ]
        assert all(table.title.startswith("TriviaQA (EVOUNA), dev (not held out)") for table in found)
        assert found[0].notes[:2] == (
            "NOT held out: it chose settings, and the weights of answersim were fitted on it",
            "sas learned from EVOUNA: train: its adapter; dev: settings",
        )
        assert [row[0] for row in found[0].rows] == ["f1", "sas", "length", "consensus", "constant"]
        assert [row[0] for row in found[3].rows] == ["sas"]
        assert "correct answers: one 100.0%, two 75.0%" in found[2].notes

    def test_a_held_out_set_and_the_weights_of_the_paper_have_no_such_note(self):
        main = next(tables(*self.rows("evouna-test"), costs=[], profile="paper"))
        assert main.title.startswith("TriviaQA (EVOUNA), test: ")
        assert not any("learned from" in note for note in main.notes)

    def test_costs_are_shown_with_the_held_out_sets_only(self):
        rows = [list(both) for both in zip(*(self.rows(name) for name in ("evouna-test", "evouna-dev")), strict=True)]
        costs = list(judged_costs.costs(ANSWERS, metrics("f1"), 4))
        *_, last = tables([row for part in rows[0] for row in part], [], [], costs)
        assert [column.name for column in last.columns] == [
            *("metric", "evouna-test", "pairs/s", "pairs/CPU s", "sequences", "MB")
        ]
        assert "f1: f1|text:en|rev:1" in last.notes
