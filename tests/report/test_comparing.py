"""Two systems on a page: the difference is that of the shares right, and what changed agrees with it."""

from typing import Any

import numpy as np
import pytest

from answersim.calibration.verdicts import VerdictRule
from answersim.report.comparing import Compared
from answersim.report.comparing import compared as compared_by
from answersim.report.gathering import SystemAnswers

N = 200
RULE = VerdictRule("threshold", "f1", given=0.75)
NONE = VerdictRule("none", "f1", why="there is no calibration")


def compared(found: SystemAnswers, rule: VerdictRule = RULE) -> Compared | None:
    return compared_by(found, "f1", rule)


def answers(**changes: Any) -> SystemAnswers:
    """Return two systems: the second is right on 40 answers more, and wrong on 10 that the first had right."""
    first = np.where(np.arange(N) < 100, 0.9, 0.2)
    second = first.copy()
    second[100:140] = 0.8
    second[:10] = 0.1
    second[150:160] += 0.1
    scores = {"old": first, "new": second}
    fields: dict[str, Any] = {
        "ids": [str(i) for i in range(N)],
        "golds": ["gold"] * N,
        "questions": None,
        "preds": {name: ["answer"] * N for name in scores},
        "scores": {"f1": scores},
        "signatures": {"f1": "f1|v:1"},
        "probabilities": scores,
        "verdicts": {name: np.where(values > 0.7, "right", "wrong") for name, values in scores.items()},
        "finals": {},
        "labels": {},
        "inclusion": {},
        "strata": {},
    }
    return SystemAnswers(**(fields | changes))


def test_the_difference_is_that_of_the_shares_right():
    found = compared(answers())
    assert found is not None
    (pair,) = found.pairs
    assert (pair.first, pair.second) == ("old", "new")
    assert pair.difference.value == pytest.approx(100 * 30 / N)
    assert pair.difference.low < 15 < pair.difference.high
    assert pair.became_right - pair.went_wrong == 30
    assert (pair.went_wrong, pair.became_right) == (10, 40)
    assert (pair.better, pair.worse, pair.same) == (50, 10, 140)
    assert [change.change for change in pair.changed[:11]] == ["went wrong"] * 10 + ["became right"]
    assert pair.sentence(0.95, "points").startswith("new is better than old: +15.0 points [+")


def test_equal_systems_do_not_differ_significantly():
    same = answers().scores["f1"]["old"]
    calls = answers().verdicts["old"]
    alike = answers(scores={"f1": {"old": same, "new": same}}, verdicts={"old": calls, "new": calls})
    found = compared(alike)
    assert found is not None
    assert found.pairs[0].sentence(0.95, "points").startswith("new is not distinguishable from old: +0.0 points [")
    assert found.pairs[0].changed == ()


def test_without_verdicts_the_means_are_compared():
    found = compared(answers(verdicts={}, probabilities={}), NONE)
    assert found is not None
    scores = answers().scores["f1"]
    assert (found.pairs[0].went_wrong, found.pairs[0].became_right) == (0, 0)
    assert found.pairs[0].difference.value == pytest.approx(scores["new"].mean() - scores["old"].mean())


def test_labels_give_a_difference_of_their_own():
    scores = answers().scores["f1"]
    labels = {name: np.where(np.arange(N) % 2 == 0, values > 0.7, np.nan) for name, values in scores.items()}
    found = compared(answers(labels=labels))
    assert found is not None
    assert found.pairs[0].labeled is not None
    assert found.pairs[0].labeled.value == pytest.approx(15, abs=1.5)
    few = {name: np.where(np.arange(N) < 3, 1.0, np.nan) for name in scores}
    found = compared(answers(labels=few))
    assert found is not None
    assert found.pairs[0].labeled is None


def test_one_system_is_not_compared():
    one = answers().scores["f1"]["old"]
    assert compared(answers(preds={"old": ["answer"] * N}, scores={"f1": {"old": one}})) is None


def test_nothing_goes_wrong_if_nothing_is_right():
    none = {name: np.full(N, "wrong") for name in ("old", "new")}
    found = compared(answers(verdicts=none))
    assert found is not None
    assert (found.pairs[0].went_wrong, found.pairs[0].became_right) == (0, 0)


def test_three_systems_are_three_pairs_with_a_correction():
    scores = answers().scores["f1"] | {"third": answers().scores["f1"]["old"]}
    found = compared(
        answers(
            preds={name: ["answer"] * N for name in scores},
            scores={"f1": scores},
            verdicts={name: np.where(values > 0.7, "right", "wrong") for name, values in scores.items()},
        )
    )
    assert found is not None
    assert [(pair.first, pair.second) for pair in found.pairs] == [("old", "new"), ("old", "third"), ("new", "third")]
    assert found.pairs[1].p == 1


def test_the_probabilities_and_strata_of_the_labels_count():
    scores = answers().scores["f1"]
    rare = (np.arange(N) >= 100) & (np.arange(N) < 140)  # where the systems differ, one row in four is labeled
    drawn = ~rare | (np.arange(N) % 4 == 0)
    labels = {name: np.where(drawn, values > 0.7, np.nan) for name, values in scores.items()}
    alike = {"scores": {"f1": dict.fromkeys(scores, np.full(N, 0.5))}, "verdicts": {}, "probabilities": {}}
    inclusion = dict.fromkeys(scores, np.where(rare, 0.25, 1.0))
    given = [
        {},
        {"inclusion": inclusion},
        {"inclusion": inclusion, "strata": dict.fromkeys(scores, rare.astype(float))},
    ]
    found = [compared(answers(labels=labels, **alike, **more)) for more in given]
    without, weighted, layered = (one.pairs[0].labeled for one in found if one is not None)
    assert without is not None
    assert weighted is not None
    assert layered is not None
    assert without.value == pytest.approx(100 * (10 - 10) / drawn.sum(), abs=0.1)
    assert weighted.value == layered.value == pytest.approx(15, abs=0.1)
    assert layered.high - layered.low < 0.9 * (weighted.high - weighted.low)
