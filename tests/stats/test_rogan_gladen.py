"""The Rogan-Gladen estimate: cases by hand, intervals of the authors, and what cannot be estimated."""

import pytest

from answersim.stats.rogan_gladen import rogan_gladen
from tests.cases import every


# By hand, (called / rows + tnr - 1) / (tpr + tnr - 1): perfect verdicts; (.78 - .1) / .85; below 0, which is clipped.
@every(
    ("called", "tpr", "tnr", "value"),
    [(780, 1.0, 1.0, 0.78), (780, 0.95, 0.9, 0.8), (50, 0.95, 0.9, 0.0), (990, 0.95, 0.9, 1.0)],
)
def test_the_share_is_that_of_the_formula(called, tpr, tnr, value):
    estimate = rogan_gladen(called, 1000, tpr * 80, 80, tnr * 20, 20)
    assert estimate.value == pytest.approx(value)
    assert (estimate.true_positive_rate, estimate.true_negative_rate) == pytest.approx((tpr, tnr))
    assert 0 <= estimate.low <= estimate.high <= 1


# The formulas of Lang & Reiczigel 2014 as in the program of the authors (CI4TruePrevalence_15_03_2013.r), evaluated
# with awk.
@every(
    ("counts", "interval"),
    [
        ((780, 1000, 76, 80, 18, 20), (0.726202, 0.867068)),
        ((27, 650, 50, 100, 199, 200), (0.027460, 0.114583)),
        ((130, 200, 40, 50, 30, 50), (0.354725, 0.915623)),
    ],
)
def test_the_interval_is_that_of_lang_and_reiczigel(counts, interval):
    assert rogan_gladen(*counts)[1:3] == pytest.approx(interval, abs=1e-6)


@every(("positives", "negatives", "kind"), [(0, 20, "positive"), (20, 0, "negative")])
def test_labels_of_one_class_are_refused(positives, negatives, kind):
    with pytest.raises(ValueError, match=f"no labeled row is {kind}.*method='ppi'"):
        rogan_gladen(500, 1000, positives, positives, negatives, negatives)


def test_verdicts_at_chance_are_refused():
    with pytest.raises(ValueError, match=r"no better than chance \(true positive rate 0.500"):
        rogan_gladen(500, 1000, 10, 20, 10, 20)
