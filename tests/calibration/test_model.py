"""What a calibration answers, and to whom it refuses to answer."""

from dataclasses import replace

import numpy as np
import pytest

from answersim.stats.resampling import Estimate
from answersim.types import Scores
from tests.calibration.conftest import SIGNATURE


def test_former_names_still_work_with_a_warning(made):
    calibration = made.calibration
    with pytest.warns(FutureWarning, match="facts is deprecated; use provenance"):
        assert calibration.facts is calibration.provenance
    with pytest.warns(FutureWarning, match="story is deprecated; use metadata"):
        assert calibration.story is calibration.metadata
    with pytest.warns(FutureWarning, match="said is deprecated; use probability"):
        assert calibration.reliability.bins[0].said == calibration.reliability.bins[0].probability
    with pytest.warns(FutureWarning, match="floor is deprecated; use by_chance"):
        assert calibration.reliability.floor == calibration.reliability.by_chance


def test_verdicts_begin_exactly_at_their_cuts(made):
    low, high = made.calibration.different.cut, made.calibration.equivalent.cut
    at = [np.nextafter(low, -9), low, np.nextafter(high, -9), high]
    assert made.calibration.verdicts(at).tolist() == ["different", "unsure", "unsure", "equivalent"]


def test_probabilities_and_verdicts_come_in_the_shape_of_the_scores(made):
    assert made.calibration.probability(np.zeros((2, 3))).shape == (2, 3)
    assert made.calibration.verdicts([]).tolist() == []
    assert made.calibration.probability(0.5).shape == ()


def test_scores_of_the_same_signature_are_answered_as_plain_numbers_are(made):
    scores = Scores([0.5, 2.5], SIGNATURE)
    assert (made.calibration.probability(scores) == made.calibration.probability([0.5, 2.5])).all()


@pytest.mark.parametrize(
    ("signature", "told"),
    [
        ("mine|layer:3|v:0.2.0", "layer is 3 and not 2. Make one"),
        ("mine|layer:2|v:0.3.0", "v is 0.3.0 and not 0.2.0. Make one"),
        ("mine|v:0.2.0", "layer is missing and not 2. Make one"),
        ("mine|layer:2|idf:yes|v:0.2.0", "idf is yes and not missing. Make one"),
        ("other|layer:2|v:0.2.0", "other is another metric than mine. Make one"),
        ("", r"of unknown origin \(no signature\). Make one"),
    ],
)
def test_scores_of_another_signature_are_refused_and_told_what_differs(made, signature, told):
    for ask in (made.calibration.probability, made.calibration.verdicts):
        with pytest.raises(ValueError, match=told):
            ask(Scores([0.5], signature))


def test_a_score_that_is_no_number_has_no_verdict(made):
    with pytest.raises(ValueError, match="a score is nan"):
        made.calibration.verdicts([0.5, float("nan")])


def test_no_score_can_be_both(made):
    with pytest.raises(ValueError, match="so that some were both"):
        replace(made.calibration, different=made.calibration.equivalent, equivalent=made.calibration.different)


def test_a_threshold_is_had_by_its_rule(made):
    assert [made.calibration.threshold(threshold.rule) for threshold in made.calibration.thresholds] == [
        *made.calibration.thresholds
    ]


def test_two_are_equal_that_hold_the_same_also_where_a_share_is_not_defined(made):
    silent = made.calibration.equivalent._replace(right=Estimate(*[float("nan")] * 3))
    one, other = (replace(made.calibration, equivalent=silent, metadata={"a": [1]}) for _ in range(2))
    assert one == other
    assert one != replace(other, metadata={"a": [2]})
    assert one != made.calibration
    assert one != "another thing"
