"""Human-likeness of metrics in a study: against raters with known errors, and nothing for fewer than three raters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from answersim.agreement.rater_agreement import rater_agreement_rows
from answersim.stats.confusion import confusion, kappa
from answersim.types import Scores
from tests.agreement.test_binary import HOW, judged
from tests.cases import every


def test_kappas_and_z_are_those_of_the_verdicts() -> None:
    data = judged(400, wrong=0.05, raters=4)
    good = Scores((data.scores["good"].values > 0.5).astype(float))  # one threshold, whatever the fold
    data = replace(data, scores={**data.scores, "good": good})
    rows = {row.column: row for row in rater_agreement_rows(data, "all", **HOW)}
    assert list(rows) == ["good", "flat", "length", "constant", *data.raters]
    raters = [labels == 1 for labels in data.raters.values()]
    called = data.scores["good"].values > 0.5
    expected = np.mean([kappa(confusion(called, labels)) for labels in raters])
    assert rows["good"].kappa.value == pytest.approx(expected)
    between = [
        np.mean([kappa(confusion(mine, labels)) for j, labels in enumerate(raters) if j != i])
        for i, mine in enumerate(raters)
    ]
    assert [rows[name].kappa.value for name in data.raters] == pytest.approx(between)
    z = (expected - np.mean(between)) / np.std(between, ddof=1)
    assert rows["good"].z.value == pytest.approx(z)
    assert rows["good"].z.low < z < rows["good"].z.high
    assert rows["good"].kappa.low < expected < rows["good"].kappa.high
    assert (rows["constant"].kappa.value, rows["constant"].reading) == (0, "below the raters")
    assert rows["rater 0"].reading == "-"


def test_a_rater_who_gave_no_label_to_a_row_does_not_count_there() -> None:
    data = judged(300, raters=3)
    ratings = {name: labels.copy() for name, labels in data.raters.items()}
    ratings["rater 2"][50:] = np.nan
    rows = {row.column: row for row in rater_agreement_rows(replace(data, raters=ratings), "all", **HOW)}
    one, two, three = (labels == 1 for labels in data.raters.values())
    expected = (kappa(confusion(one, two)) + kappa(confusion(one[:50], three[:50]))) / 2
    assert rows["rater 0"].kappa.value == pytest.approx(expected)


@every("raters", [0, 2])
def test_two_raters_have_no_spread(raters: int) -> None:
    assert list(rater_agreement_rows(judged(raters=raters), "all", **HOW)) == []
