"""The quality of a column of scores, compared with cases by hand."""

import numpy as np
import pytest

from benchmarks.judged_quality import ALL, LONG, SHORT, called, gaps, judged, qualities, subsets, system_orders
from benchmarks.judged_scores import columns_of, sentinels
from tests.benchmarks.judged_samples import ANSWERS, VERDICTS, answered, column, metrics


class TestQuality:
    def test_the_subsets_are_lengths_and_systems(self):
        sizes = {name: int(mask.sum()) for name, mask in subsets(judged("x", ANSWERS, 5)).items()}
        assert sizes == {ALL: 40, SHORT: 20, LONG: 20, "one": 20, "two": 20}
        assert [*subsets(judged("x", ANSWERS[::2], 5))] == [ALL, SHORT]

    def test_an_answer_of_five_words_is_short_and_an_empty_one_too(self):
        texts = ["a b c d e", "a b c d e f", ""]
        answers = [answered(f"q{i}", ("x",), "one", texts[i % 3], True) for i in range(12)]
        assert subsets(judged("x", answers, 5))[SHORT].tolist() == [True, False, True] * 4

    def test_the_measures_of_a_row_by_hand(self):
        whole, short, long, one, two = qualities(judged("x", ANSWERS, 50), columns_of(ANSWERS, metrics("em")))
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
