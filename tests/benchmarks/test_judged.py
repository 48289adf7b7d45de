"""Metrics against verdicts: the sets and their use, columns, measures by hand, costs, tables, and the program."""

import json
from collections import Counter

import numpy as np
import pytest
from typer.testing import CliRunner

import answersim
from answersim.data.system_answers import SystemAnswer
from answersim.types import Capabilities
from benchmarks import judged as program
from benchmarks import judged_costs, judged_quality, judged_scores, judged_sets
from benchmarks.judged_quality import ALL, LONG, SHORT, area, called, gaps, judged, qualities, subsets, system_orders
from benchmarks.judged_scores import QUESTION, ScoredColumn, columns_of, recorded, sentinels
from benchmarks.judged_sets import SETS, chosen, learned, parts_line
from benchmarks.judged_tables import tables


def run(*arguments):
    return CliRunner().invoke(program.app, list(arguments))


def metrics(*names):
    return {name: answersim.metric(name) for name in names}


def answered(question, golds, system, answer, verdict, part="train"):
    return SystemAnswer(question, golds, system, answer, verdict, part)


def column(values, name="m", kind="metric", half=True):
    return ScoredColumn(name, kind, np.asarray(values, dtype=float), f"{name}|rev:1", half)


class Reader:
    """A metric that scores 1 with a question and 0 without."""

    signature = "reader"
    capabilities = Capabilities(reads_questions=True)
    reads_questions = True

    def __call__(self, pairs, questions=None):
        return np.array([float(bool(question)) for question in questions or [""] * len(pairs)])


# Twenty questions; the system "one" is always correct, "two" in three of four, and in whole sentences.
ANSWERS = [
    answered(f"q{i}", ("x", f"gold {i}"), system, answer, verdict)
    for i in range(20)
    for system, answer, verdict in (
        ("one", f"gold {i}", True),
        ("two", f"I think that it is {'gold' if i % 2 else 'no'} {i}", i % 4 > 0),
    )
]
VERDICTS = np.array([answer.verdict for answer in ANSWERS])


class TestSets:
    def test_the_sets_are_those_that_may_be_reported_and_say_what_they_are_for(self):
        assert [judged_set.name for judged_set in chosen([])] == [
            *("evouna-test", "efficientqa-sas", "efficientqa-sas-recorded", "efficientqa-other-test"),
            *("efficientqa-other", "evouna-dev"),
        ]
        assert [judged_set.name for judged_set in chosen(["evouna", "evouna-test"])] == ["evouna-test", "evouna"]
        for judged_set in SETS.values():
            assert judged_set.use.startswith("held out" if judged_set.held_out else "NOT held out")

    def test_an_unknown_set_is_an_error_with_the_nearest_name(self):
        with pytest.raises(LookupError, match="no data set is called 'evouna-tset'; did you mean 'evouna-test'"):
            chosen(["evouna-tset"])

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
        from answersim import catalog, profiles

        recipes = {
            "sas": profiles.SAS_ADAPTER,
            "bi-encoder-answers": profiles.ANSWERS_ADAPTER,
            "bertscore-answers": profiles.ANSWERS_ADAPTER,
        }
        for name, folder in recipes.items():
            assert "its train part taught, its dev part chose" in (folder / "README.md").read_text(encoding="utf-8")
            assert learned(name)
            assert learned(name, "paper") == ""
        names = (profiles.NAMES_ADAPTER / "README.md").read_text(encoding="utf-8")
        assert "No question of EVOUNA taught or chose anything here." in names
        assert set(catalog.COMBINED_PARTS) & set(recipes)  # so the combination of them learned from it too
        assert {name for name in answersim.names() if learned(name)} == {*recipes, "answersim"}

    def test_a_metric_is_not_evaluated_on_questions_that_trained_it(self, monkeypatch):
        built = {"f1": answersim.metric("f1"), "sas": answersim.metric("em")}
        lines = []
        monkeypatch.setattr(program, "say", lines.append)
        assert [*program._untaught(SETS["evouna"], built, "embedded")] == ["f1"]
        assert lines == ["evouna: sas left out, because its questions trained them"]
        assert [*program._untaught(SETS["evouna"], built, "paper")] == ["f1", "sas"]
        assert [*program._untaught(SETS["evouna-test"], built, "embedded")] == ["f1", "sas"]

    def test_the_parts_are_counted(self, monkeypatch):
        parts = [part for part, n in (("train", 7), ("dev", 2), ("test", 1)) for _ in range(n)]
        answers = [answered(f"q{i}", ("x",), "one", "x", True, part) for i, part in enumerate(parts)]
        monkeypatch.setattr(judged_sets, "load_evouna", lambda *_: answers)
        line = parts_line()
        assert "train, 7 questions (7 answers), trained adapters" in line
        assert "dev, 2 questions (2 answers), chose settings" in line
        assert "test, 1 questions (1 answers), taught and chose nothing" in line


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

    @pytest.mark.parametrize(
        ("name", "values", "half"),
        [
            ("f1", [0, 1], True),
            ("sas", [0.2, 0.7], True),
            ("bi-encoder", [0.2, 0.7], False),
            ("bertscore-vanilla (recorded)", [0.2, 0.7], False),
            ("mine", [-0.1, 1], False),
            ("mine", [0, 1.1], False),
        ],
    )
    def test_one_half_has_a_meaning_between_zero_and_one_only(self, name, values, half):
        assert judged_scores._has_half(name, np.array(values)) is half

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
        assert lines[0].startswith("recorded scores are left out: the data set 'nq-open' is not here")


class TestQuality:
    def test_the_subsets_are_lengths_and_systems(self):
        sizes = {name: int(mask.sum()) for name, mask in subsets(judged("x", ANSWERS, 5)).items()}
        assert sizes == {ALL: 40, SHORT: 20, LONG: 20, "one": 20, "two": 20}
        assert [*subsets(judged("x", ANSWERS[::2], 5))] == [ALL, SHORT]

    def test_an_answer_of_five_words_is_short_and_an_empty_one_too(self):
        texts = ["a b c d e", "a b c d e f", ""]
        answers = [answered(f"q{i}", ("x",), "one", texts[i % 3], True) for i in range(12)]
        assert subsets(judged("x", answers, 5))[SHORT].tolist() == [True, False, True] * 4

    def test_a_perfect_column_has_measures_of_one(self):
        (perfect,) = [row for row in qualities(judged("x", ANSWERS, 50), [column(VERDICTS)]) if row.subset == ALL]
        assert (perfect.n, perfect.questions, perfect.base_rate, perfect.threshold) == (40, 20, 0.875, 0.5)
        for measure in judged_quality.MEASURES:
            ends = [getattr(perfect, f"{measure}{end}") for end in ("", "_low", "_high")]
            assert ends == pytest.approx([1, 1, 1]), measure

    def test_the_measures_of_a_row_by_hand(self):
        whole, short, long, one, two = qualities(judged("x", ANSWERS, 50), columns_of(ANSWERS, metrics("em")))
        # 20 correct answers score 1; 15 correct and 5 wrong ones score 0.
        assert whole.auc == pytest.approx((20 + 15 / 2) / 35)
        assert whole.accuracy_at_half == pytest.approx((20 + 5) / 40)
        # To call all answers correct is best: 35 of 40.
        assert (whole.accuracy, whole.kappa, whole.true_positive_rate, whole.true_negative_rate) == (0.875, 0, 1, 0)
        assert np.isnan(whole.mcc)
        assert whole.accuracy_low < whole.accuracy < whole.accuracy_high
        assert (short.n, short.base_rate, long.base_rate) == (20, 1, 0.75)
        assert np.isnan(short.auc)
        assert (one.accuracy_at_half, two.accuracy_at_half, two.auc) == (1, 0.25, 0.5)

    def test_one_half_is_not_evaluated_where_it_has_no_meaning(self):
        row = next(qualities(judged("x", ANSWERS, 20), [column(VERDICTS, half=False)]))
        assert np.isnan(row.accuracy_at_half)
        assert np.isnan(row.accuracy_at_half_low)
        assert row.accuracy == 1

    def test_intervals_are_those_of_whole_questions(self):
        """All answers to a question are right or wrong together, so the interval is that of 20 rows and not of 40."""
        answers = [answered(f"q{i // 2}", ("x",), f"{i % 2}", "x", i // 2 % 2 == 0) for i in range(40)]
        row = next(qualities(judged("x", answers, 4000), [column(np.ones(40))]))
        deviation = (0.25 / 20) ** 0.5
        assert row.accuracy_at_half_high - row.accuracy_at_half_low == pytest.approx(2 * 1.96 * deviation, rel=0.1)

    def test_the_numbers_of_a_column_do_not_depend_on_the_others(self):
        both = list(qualities(judged("x", ANSWERS, 30), columns_of(ANSWERS, metrics("em", "f1"))))
        alone = qualities(judged("x", ANSWERS, 30), columns_of(ANSWERS, metrics("f1")))
        assert [repr(row) for row in both if row.metric == "f1"] == [repr(row) for row in alone]

    def test_auc_of_a_constant_column_is_one_half(self):
        counts = np.array([[1, 1, 1], [2, 1, 0], [0, 3, 0]])
        found = area(np.zeros(3), np.array([True, False, True]), counts)
        np.testing.assert_array_equal(found, [0.5, 0.5, np.nan])

    def test_differences_are_paired_and_corrected_by_measure(self):
        columns = [column(VERDICTS, "best"), *columns_of(ANSWERS, metrics("em", "f1")), *sentinels(ANSWERS)]
        found = gaps(judged("x", ANSWERS, 200), columns, "best")
        assert [(gap.metric, gap.measure) for gap in found] == [
            *(("em", "auc"), ("em", "accuracy"), ("f1", "auc"), ("f1", "accuracy"))
        ]
        em = found[0]
        assert em.difference == pytest.approx((20 + 15 / 2) / 35 - 1)
        assert em.low <= em.difference <= em.high < 0
        assert em.p_holm == pytest.approx(min(1, 2 * em.p))
        assert gaps(judged("x", ANSWERS, 20), columns, "absent") == []

    def test_the_difference_of_a_column_from_its_copy_is_zero(self):
        columns = [column(VERDICTS, "one"), column(VERDICTS, "copy")]
        for gap in gaps(judged("x", ANSWERS, 20), columns, "one"):
            assert (gap.difference, gap.low, gap.high, gap.p) == (0, 0, 0, 1)

    def test_systems_are_ordered_by_mean_and_by_threshold(self):
        rows = np.arange(40)
        columns = [
            column(VERDICTS, "verdict"),
            column(1 - VERDICTS, "reversed"),
            column(np.zeros(40), "constant"),
            column(VERDICTS - rows % 2 * -5.0, "prefers two"),
            column(np.random.default_rng(0).random(40), "noise"),
        ]
        orders = {order.metric: order for order in system_orders(judged("x", ANSWERS, 20), columns)}
        # The systems differ in 5 of 20 questions, so p by the verdicts is 1 / 2 ** 5 / 2.
        p = 1 / 64
        assert orders["verdict"].by_mean == orders["verdict"].by_threshold == 1
        assert (orders["verdict"].systems, orders["verdict"].questions) == (2, 20)
        assert orders["reversed"].by_mean == pytest.approx(2 * p, abs=0.02)
        assert orders["constant"].by_mean == pytest.approx(0.5 + p, abs=0.02)
        assert orders["prefers two"].by_mean == pytest.approx(p, abs=0.02)
        assert orders["noise"].by_mean_low < orders["noise"].by_mean < orders["noise"].by_mean_high

    def test_one_system_has_no_order_and_a_missing_answer_is_an_error(self):
        assert system_orders(judged("x", ANSWERS[::2], 5), [column(VERDICTS[::2])]) == []
        with pytest.raises(ValueError, match="x: two has no answer to question 20"):
            system_orders(judged("x", ANSWERS[:-1], 5), [column(VERDICTS[:-1])])
        twice = [*ANSWERS, ANSWERS[0]]
        with pytest.raises(ValueError, match="x: one has two answers to question 1"):
            system_orders(judged("x", twice, 5), [column(np.ones(41))])

    def test_a_question_is_called_by_a_threshold_that_it_did_not_choose(self):
        judged_set = judged("x", ANSWERS, 5)
        scores = np.random.default_rng(0).random(40)
        verdicts, _ = called(judged_set, column(scores))
        question = judged_set.question == 3
        flipped = judged_set._replace(verdicts=judged_set.verdicts ^ question)
        assert (called(flipped, column(scores))[0][question] == verdicts[question]).all()


class TestCosts:
    def test_a_metric_without_a_network_has_neither_sequences_nor_weights(self):
        (cost,) = judged_costs.costs(ANSWERS, metrics("f1"), 10)
        assert (cost.metric, cost.pairs, cost.sequences, cost.megabytes) == ("f1", 10, 0, 0)
        assert cost.pairs_per_second > 0
        assert cost.pairs_per_cpu_second > 0

    def test_a_metric_that_reads_questions_is_timed_twice(self):
        assert [cost.metric for cost in judged_costs.costs(ANSWERS, {"r": Reader()}, 4)] == ["r", f"r{QUESTION}"]

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
        arrays = judged(name, ANSWERS, 20)
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

    def test_costs_are_shown_beside_the_held_out_sets_only(self):
        rows = [list(both) for both in zip(*(self.rows(name) for name in ("evouna-test", "evouna-dev")), strict=True)]
        costs = list(judged_costs.costs(ANSWERS, metrics("f1"), 4))
        *_, last = tables([row for part in rows[0] for row in part], [], [], costs)
        assert [column.name for column in last.columns] == [
            *("metric", "evouna-test", "pairs/s", "pairs/CPU s", "sequences", "MB")
        ]
        assert "f1: f1|text:en|rev:1" in last.notes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--metrics", "bertscor"], "no metric is called 'bertscor'"),
        (["--sets", "evona"], "no data set is called 'evona'; did you mean 'evouna'"),
        (["--metrics", "em"], "judged/evouna-TQ.json is not here"),
        (["--metrics", "em", "--against", "f2"], "no column of --against is called 'f2'"),
        (["--metrics", "em", "--records", "absent/x.json"], "--records is absent/x.json, but there is no folder"),
    ],
)
def test_a_wrong_call_is_an_error_before_any_work(no_data, monkeypatch, arguments, message):
    monkeypatch.setattr(program, "columns_of", lambda *_: pytest.fail("work was begun"))
    done = run(*arguments)
    assert done.exit_code == 2
    assert message in " ".join(done.output.split())


def test_the_program_writes_tables_and_records(tmp_path, monkeypatch):
    monkeypatch.setitem(SETS, "evouna-test", SETS["evouna-test"]._replace(load=lambda: ANSWERS))
    records = tmp_path / "judged.json"
    command = ("--sets", "evouna-test", "--metrics", "em,f1", "--against", "f1", "--records", str(records))
    done = run(*command, "--format", "markdown")
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


def test_nothing_is_compared_if_the_recommended_metric_is_not_evaluated(monkeypatch):
    monkeypatch.setitem(SETS, "evouna-test", SETS["evouna-test"]._replace(load=lambda: ANSWERS))
    done = run("--sets", "evouna-test", "--metrics", "em", "--no-costs", "--format", "json")
    assert "differences are left out, because answersim is none of the metrics" in done.stderr
    assert {row["table"] for row in json.loads(done.stdout)} == {"Quality", "SystemOrder"}


@pytest.mark.data
def test_lexical_metrics_on_evouna_have_their_known_numbers(data_home, monkeypatch):
    if not (data_home / "judged").is_dir():
        pytest.skip("needs the judged answers: $ANSWERSIM_DATA/judged/")
    monkeypatch.setenv("ANSWERSIM_DATA", str(data_home))
    monkeypatch.setattr(program, "judged", lambda name, answers: judged(name, answers, 5))
    done = run("--sets", "evouna", "--metrics", "em,f1,recall,containment", "--no-costs", "--format", "json")
    rows = [row for row in json.loads(done.stdout) if row["table"] == "Quality" and row["kind"] == "metric"]
    assert Counter(row["subset"] for row in rows) == dict.fromkeys(
        (ALL, SHORT, LONG, "fid", "gpt35", "chatgpt", "gpt4", "newbing"), 4
    )
    accuracy = {row["metric"]: row["accuracy_at_half"] for row in rows if row["subset"] == ALL}
    assert accuracy == pytest.approx({"em": 0.363, "f1": 0.431, "recall": 0.936, "containment": 0.901}, abs=0.0015)
    areas = {row["metric"]: row["auc"] for row in rows if row["subset"] == ALL}
    assert (areas["f1"], areas["recall"]) == pytest.approx((0.905, 0.966), abs=0.001)
