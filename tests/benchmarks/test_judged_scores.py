"""Columns of scores: metrics with and without questions, recorded scores, and sentinels."""

import numpy as np
import pytest

import answersim
from benchmarks import judged_scores
from benchmarks.judged_scores import QUESTION, columns_of, recorded, sentinels
from benchmarks.judged_sets import SETS
from tests.benchmarks.judged_samples import ANSWERS, Reader, answered, metrics


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
        assert lines[0].startswith("recorded scores are left out: the data set 'nq-open' was not found")
