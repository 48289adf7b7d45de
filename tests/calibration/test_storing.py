"""Calibrations in files: what is read is what was written, and what is no calibration is refused with the reason."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answersim.calibration.fitting import calibrate
from answersim.calibration.storing import dumps, find, loads, read, shipped, write
from tests.calibration.conftest import SIGNATURE, world


def test_a_calibration_that_was_written_is_read_as_it_was(made, tmp_path):
    write(made.calibration, tmp_path / "mine.json")
    assert read(tmp_path / "mine.json") == made.calibration
    assert [each.name for each in tmp_path.iterdir()] == ["mine.json"]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["isotonic", "logistic"]), st.floats(0, 3))
def test_json_keeps_every_digit_nan_and_infinity(seed, method, apart):
    scores, labels = world(60, seed, apart)
    labels[:24] = np.arange(24) % 2
    found = calibrate(scores, labels, method=method, resamples=5, story={"data": "ä", "n": [1, {"x": None}]})
    text = dumps(found)
    assert "NaN" not in text
    assert "Infinity" not in text
    again = loads(text)
    assert dumps(again) == text
    at = np.linspace(-3, 6, 50)
    assert (again.probability(at) == found.probability(at)).all()
    assert (again.verdicts(at) == found.verdicts(at)).all()
    assert again.story == found.story


def test_verdicts_that_are_never_given_stay_so(made):
    silent = replace(made.calibration, different=made.calibration.different._replace(cut=-math.inf))
    assert loads(dumps(silent)).different.cut == -math.inf


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda story: story.pop("format"), "its format is 'answersim calibration 1'"),
        (lambda story: story.update(format="other"), "its format is"),
        (lambda story: story.pop("equivalent"), "the file has no 'equivalent'"),
        (lambda story: story.update(more=1), "the file has 'more', which means nothing there"),
        (lambda story: story.update(signature=3), "signature is '3', but must be str"),
        (lambda story: story.update(curve=None), "curve is None"),
        (lambda story: story["curve"].update(method="magic"), "must be of the method isotonic or logistic"),
        (lambda story: story["curve"].update(slope="steep"), "curve.slope is 'steep'"),
        (lambda story: story["curve"].update(slope=-1.0), "no rising curve"),
        (lambda story: story["equivalent"].update(cut="high"), "equivalent.cut is 'high'"),
        (lambda story: story["thresholds"][1].update(rule="magic"), r"thresholds\[1\].rule is 'magic'"),
        (lambda story: story["thresholds"][0]["cut"].pop("low"), r"thresholds\[0\].cut has no 'low'"),
        (lambda story: story["facts"].update(n=1.5), "facts.n is '1.5', but must be int"),
        (lambda story: story.update(metric=[]), "metric is"),
    ],
)
def test_what_is_no_calibration_is_refused_naming_the_place(tmp_path, change, told):
    scores, labels = world(100, 3)
    story = json.loads(dumps(calibrate(scores, labels, method="logistic", resamples=5)))
    change(story)
    (tmp_path / "bad.json").write_text(json.dumps(story))
    with pytest.raises(ValueError, match=f"bad.json holds no calibration: .*{told}"):
        read(tmp_path / "bad.json")


@pytest.mark.parametrize("text", ["", "{", "[]", "3"])
def test_what_is_not_even_json_is_refused(tmp_path, text):
    (tmp_path / "bad.json").write_text(text)
    with pytest.raises(ValueError, match=r"bad\.json holds no calibration"):
        read(tmp_path / "bad.json")


def test_a_file_that_is_not_there_is_told_with_the_way_out(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no calibration at .*; make one with 'answersim calibrate FILE"):
        read(tmp_path / "none.json")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        write(calibrate(*world(100, 4), resamples=5), tmp_path / "none" / "mine.json")


def test_a_calibration_is_found_as_itself_as_a_file_and_by_name(made, tmp_path):
    write(made.calibration, tmp_path / "mine.json")
    for asked in (made.calibration, tmp_path / "mine.json", str(tmp_path / "mine.json")):
        assert find(asked, SIGNATURE) == made.calibration
    f1 = find("f1")
    assert f1 == find("shipped", f1.signature)


def test_what_is_found_is_checked_against_the_signature(made):
    with pytest.raises(ValueError, match="layer is 3 and not 2"):
        find(made.calibration, "mine|layer:3|v:0.1.0")
    with pytest.raises(ValueError, match="is another metric than f1"):
        find("f1", SIGNATURE)


def test_a_name_that_does_not_ship_is_answered_with_those_that_do():
    with pytest.raises(LookupError, match="did you mean 'sas'"):
        find("sass")
    with pytest.raises(LookupError, match="no calibration that ships is for 'mine"):
        find("shipped", SIGNATURE)
    with pytest.raises(TypeError, match=r"calibration is 3 \(int\)"):
        find(3)  # type: ignore[arg-type]


def test_names_are_in_order():
    assert list(shipped()) == sorted(shipped())
