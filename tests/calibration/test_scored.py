"""Scores that bear a verdict: numbers as before, with what a calibration says of them."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import answersim
from answersim.calibration.scores import Score, Scores
from answersim.calibration.verdicts import verdict_rule
from tests.calibration.conftest import SIGNATURE


def scored(made, scores: Scores, truncated: Any = None) -> Scores:
    return verdict_rule(SIGNATURE, calibration=made.calibration).scored(scores, None, truncated)


@pytest.fixture
def scores(made):
    return scored(made, Scores([0.0, 1.5, 4.0], SIGNATURE, [0, 2, 1]))


def test_the_numbers_are_those_without_a_calibration(scores):
    assert scores == Scores([0.0, 1.5, 4.0], SIGNATURE, [0, 2, 1])
    assert np.asarray(scores).tolist() == [0.0, 1.5, 4.0]


def test_each_bears_its_probability_and_verdict(scores, made):
    assert scores.verdicts.tolist() == ["different", "unsure", "equivalent"]
    assert (scores.probabilities == made.calibration.probability([0.0, 1.5, 4.0])).all()
    for i, score in enumerate(scores):
        assert (score, score.reference) == (scores.values[i], scores.references[i])
        assert (score.probability, score.verdict) == (scores.probabilities[i], scores.verdicts[i])


def test_parts_of_scores_keep_their_verdicts(scores):
    assert scores[1:].verdicts.tolist() == ["unsure", "equivalent"]
    assert scores[np.array([True, False, True])].verdicts.tolist() == ["different", "equivalent"]
    assert scores[-1].verdict == "equivalent"


def test_a_score_keeps_all_it_bears_when_copied_or_pickled(scores):
    for again in (copy.copy(scores[1]), pickle.loads(pickle.dumps(scores[1]))):
        assert (again, again.signature, again.reference) == (1.5, SIGNATURE, 2)
        assert (again.probability, again.verdict) == (scores[1].probability, "unsure")


def test_a_verdict_of_truncated_text_has_a_note(made):
    scores = scored(made, Scores([0.0, 1.5, 4.0], SIGNATURE), np.array([False, True, False]))
    each: list[Any] = list(scores)
    assert [score.truncated for score in each] == [False, True, False]
    assert scores[1:].truncated.tolist() == [True, False]
    again: Any = copy.copy(scores[1])
    assert again.truncated
    assert pickle.loads(pickle.dumps(scores[1])).truncated
    assert scored(made, Scores([0.0], SIGNATURE)).truncated.tolist() == [False]


def test_without_a_calibration_there_is_no_verdict():
    for score in (Score(0.5), Scores([0.5])[0], answersim.score("Rome", "Rome", "f1")):
        assert (score.probability, score.verdict, score.truncated) == (None, None, None)
    plain = answersim.score(["Rome"], ["Rome"], "f1")
    assert (plain.probabilities, plain.verdicts, plain.truncated) == (None, None, None)
    with pytest.raises(ValueError, match="these scores have no verdicts: no calibration ships for bleu"):
        verdict_rule("bleu|text:13a").scored(Scores([0.5], "bleu|text:13a"))


def test_scores_of_another_metric_are_refused(made):
    with pytest.raises(ValueError, match="another metric"):
        scored(made, Scores([0.5], "other"))


def test_a_metric_of_zero_and_one_needs_no_calibration():
    scores = answersim.score(["Rome", "Oslo"], ["rome", "Bern"], metric="em", calibration="shipped")
    assert scores.verdicts.tolist() == ["equivalent", "different"]
    assert np.isnan(scores.probabilities).all()
    assert answersim.score("Rome", "rome", metric="em", calibration="shipped").verdict == "equivalent"
    with pytest.raises(LookupError, match="no shipped calibration is for 'bleu"):
        answersim.score("Rome", "rome", metric="bleu", calibration="shipped")
