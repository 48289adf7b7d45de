"""The parts of a calibration: their names are those of its file, and each refuses impossible numbers."""

import json
from dataclasses import fields, replace
from typing import get_args

import pytest

from answersim.calibration.parts import METHODS, Method, Provenance, Quality, Threshold
from answersim.calibration.storing import SHIPPED
from answersim.stats.resampling import Estimate
from tests.cases import every


def test_the_fields_of_each_part_are_those_of_a_file_that_ships():
    content = json.loads((SHIPPED / "f1.json").read_text(encoding="utf-8"))
    for part, stated in (
        (Threshold, content["thresholds"][0]),
        (Provenance, content["provenance"]),
        (Quality, content["quality"]),
    ):
        assert [field.name for field in fields(part)] == list(stated)
    assert content["curve"]["method"] in METHODS == get_args(Method)


SHARE = Estimate(0.9, 0.8, 1.0)
THRESHOLD = Threshold("accuracy", Estimate(0.5, 0.4, 0.6), SHARE, SHARE, SHARE)
PROVENANCE = Provenance(100, 40, 50, "1 of 0 and 1", 0.95, 0.95, 5, 1000)
NAN = float("nan")


@every(
    ("part", "change", "message"),
    [
        (THRESHOLD, {"cut": Estimate(NAN, 0.4, 0.6)}, "cut.value is 'nan', but it must be a number, or inf"),
        (THRESHOLD, {"cut": Estimate(0.5, 0.6, 0.4)}, "cut.low is '0.6', but it must not be above cut.high, 0.4"),
        (THRESHOLD, {"accuracy": Estimate(NAN, 0.8, 1)}, "accuracy.value is 'nan', but it must be from 0 to 1"),
        (THRESHOLD, {"precision": Estimate(1.5, 0.8, 1)}, "precision.value is '1.5', but it must be from 0 to 1"),
        (THRESHOLD, {"recall": Estimate(0.9, 1, 0.8)}, "recall.low is '1', but it must not be above"),
        (PROVENANCE, {"equivalent": 100}, "equivalent is '100', but of 100 pairs it can be at most 99"),
        (PROVENANCE, {"folds": 1}, "folds is '1', but it is a number of at least 2"),
        (PROVENANCE, {"target": 95.0}, "target is '95.0', but it must be between 0 and 1"),
        (
            Quality(0.9, 0.1, 0.1, 0.25, 0.8, 1.0),
            {"auc_low": 1.0, "auc_high": 0.5},
            "auc.low is '1.0', but it must not",
        ),
        (Quality(0.9, 0.1, 0.1, 0.25), {"auc": NAN}, "auc is 'nan', but it must be from 0 to 1"),
    ],
)
def test_each_part_checks_itself(part, change, message):
    with pytest.raises(ValueError, match=message):
        replace(part, **change)


def test_a_share_that_is_not_defined_may_be_nan():
    assert replace(THRESHOLD, precision=Estimate(NAN, NAN, NAN)).recall == SHARE
