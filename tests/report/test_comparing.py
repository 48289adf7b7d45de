"""Two systems on a page: the difference is that of the shares right, and what changed agrees with it."""

from typing import Any

import numpy as np
import pytest

from answersim.calibration.verdicts import VerdictRule
from answersim.evaluation.comparison import Comparison
from answersim.evaluation.human_labels import SystemLabels
from answersim.report.comparing import compared, sentence
from answersim.report.gathering import SystemAnswers

N = 200
RULE = VerdictRule("threshold", "f1", given=0.75)
FIRST = np.where(np.arange(N) < 100, 0.9, 0.2)
SECOND = np.where((np.arange(N) >= 100) & (np.arange(N) < 140), 0.8, np.where(np.arange(N) < 10, 0.1, FIRST))
SECOND[150:160] += 0.1  # right on 40 answers more, wrong on 10 that the first had right, and nearer on 10


def pairs(labels: Any = None, counts: bool = True, **scores: np.ndarray) -> tuple[Comparison, ...]:
    """Compare systems with these scores, which are also their probabilities."""
    scores = scores or {"old": FIRST, "new": SECOND}
    verdicts = {name: np.where(values > 0.7, "right", "wrong") for name, values in scores.items()}
    answers = SystemAnswers(
        ids=[str(i) for i in range(N)],
        golds=["gold"] * N,
        questions=None,
        preds={name: ["answer"] * N for name in scores},
        scores={"f1": scores},
        signatures={"f1": "f1|v:1"},
        probabilities=scores if counts else {},
        verdicts=verdicts if counts else {},
        finals={},
        labels=labels or {},
    )
    return compared(answers, "f1", RULE if counts else VerdictRule("none", "f1", why="there is no calibration"))


def test_the_difference_is_that_of_the_shares_right():
    (pair,) = pairs()
    assert pair.names == ("old", "new")
    assert pair.decisive.value == pytest.approx(30 / N)
    assert pair.decisive.low < 0.15 < pair.decisive.high
    assert (pair.counts("went wrong"), pair.counts("became right")) == (10, 40)
    assert (pair.better, pair.worse, pair.same) == (50, 10, 140)
    assert sentence(pair, "points").startswith("new is better than old: +15.0 points [+")
    (back,) = pairs(new=SECOND, old=FIRST)
    assert sentence(back, "points").startswith("old is worse than new: -15.0 points [-")


def test_equal_systems_do_not_differ_significantly():
    (pair,) = pairs(old=FIRST, new=FIRST)
    assert sentence(pair, "points").startswith("new is not distinguishable from old: +0.0 points [")
    assert pair.changed == ()


def test_without_verdicts_the_means_are_compared():
    (pair,) = pairs(counts=False)
    assert (pair.counts("went wrong"), pair.counts("became right")) == (0, 0)
    assert pair.decisive.value == pytest.approx(SECOND.mean() - FIRST.mean())
    assert " f1 [" in sentence(pair, "f1")


def test_one_system_is_not_compared_and_three_are_three_pairs_with_a_correction():
    assert pairs(old=FIRST) == ()
    found = pairs(old=FIRST, new=SECOND, third=FIRST)
    assert [pair.names for pair in found] == [("old", "new"), ("old", "third"), ("new", "third")]
    assert found[1].decisive_p == 1


def test_labels_give_a_difference_of_their_own_by_how_their_rows_were_drawn():
    rare = (np.arange(N) >= 100) & (np.arange(N) < 140)  # where the systems differ, one row in four is labeled
    drawn = ~rare | (np.arange(N) % 4 == 0)
    inclusion, strata = np.where(rare, 0.25, 1.0), rare.astype(float)

    def difference(*how: np.ndarray) -> Any:
        given = {
            name: SystemLabels(np.where(drawn, values > 0.7, np.nan), *how)
            for name, values in (("old", FIRST), ("new", SECOND))
        }
        return pairs(given, counts=False, old=np.full(N, 0.5), new=np.full(N, 0.5))[0].labeled

    assert difference().value == 0  # 10 of the labeled answers became right, and 10 went wrong
    weighted, layered = difference(inclusion), difference(inclusion, strata)
    assert weighted.value == layered.value == pytest.approx(0.15)
    assert layered.high - layered.low < 0.9 * (weighted.high - weighted.low)
    few = dict.fromkeys(("old", "new"), SystemLabels(np.where(np.arange(N) < 3, 1.0, np.nan)))
    assert pairs(few)[0].labeled is None
