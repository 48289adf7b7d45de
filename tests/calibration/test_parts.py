"""The parts of a calibration: their names are those of its file, and the methods and kinds are listed once."""

import json
from typing import get_args

from answersim.calibration.parts import KINDS, METHODS, Kind, Method, Provenance, Quality, Threshold, VerdictThreshold
from answersim.calibration.storing import SHIPPED


def test_the_fields_of_each_part_are_those_of_a_file_that_ships():
    content = json.loads((SHIPPED / "f1.json").read_text(encoding="utf-8"))
    assert tuple(content["equivalent"]) == tuple(content["different"]) == VerdictThreshold._fields
    assert tuple(content["thresholds"][0]) == Threshold._fields
    assert tuple(content["provenance"]) == Provenance._fields
    assert tuple(content["quality"]) == Quality._fields
    assert content["equivalent"]["kind"] in KINDS
    assert content["curve"]["method"] in METHODS


def test_the_lists_are_those_of_the_types():
    assert get_args(Kind) == KINDS
    assert get_args(Method) == METHODS
