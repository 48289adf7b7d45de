"""A calibration: probabilities, parts, languages and the transfer to other data."""

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

import answersim
from answersim._base.signature import language_of
from answersim._base.text_tables import content
from answersim.answers.text.support import SUPPORT, is_checked
from answersim.answers.text.tokens import LANGUAGES
from answersim.calibration import calibrate, shipped_index, storing, wording
from answersim.calibration.decision import cuts
from answersim.calibration.model import Calibration
from answersim.calibration.parts import METHODS, Method, Provenance, Quality, Threshold
from answersim.calibration.scores import Scores
from answersim.calibration.storing import ANY, SHIPPED, find, write
from answersim.calibration.transfer import Transfer, condition, transfer, transfer_of
from answersim.calibration.wording import decision
from answersim.stats.monotone import Isotonic
from answersim.stats.resampling import Bootstrap, Estimate
from tests.cases import every


@every(("low", "high"), [(0.5, 0.5), (0.4, 0.6), (0.3, 0.7), (0.05, 0.95), (0.2, 0.5), (0.5, 0.8)])
def test_a_verdict_agrees_with_its_probability(made, low, high):
    at = np.linspace(-4, 8, 400)
    probabilities, verdicts = made.calibration.probability(at), made.calibration.verdicts(at, low=low, high=high)
    assert (probabilities[verdicts == "equivalent"] >= high).all()
    assert (probabilities[verdicts == "different"] <= low).all()
    between = probabilities[verdicts == "unsure"]
    assert ((between > low) & (between < high)).all()
    assert {"equivalent", "different"} <= set(verdicts.tolist())


@every("band", [{"low": 0}, {"low": 0.6}, {"high": 0.4}, {"high": 1}, {"low": 0.8, "high": 0.2}])
def test_a_band_outside_its_range_is_refused(made, band):
    with pytest.raises(ValueError, match=f"{next(iter(band))} is "):
        made.calibration.verdicts([0.5], **band)


@every(
    ("signature", "message"),
    [
        ("mine|layer:3|rev:1", "layer is 3 and not 2. Make one"),
        ("mine|layer:2|rev:2", "rev is 2 and not 1. Make one"),
        ("mine|rev:1", "layer is missing and not 2. Make one"),
        ("mine|layer:2|idf:yes|rev:1", "idf is yes and not missing. Make one"),
        ("other|layer:2|rev:1", "other is another metric than mine. Make one"),
        ("", r"of unknown origin \(no signature\). Make one"),
    ],
)
def test_scores_of_another_signature_are_refused_with_the_difference(made, signature, message):
    for ask in (made.calibration.probability, made.calibration.verdicts):
        with pytest.raises(ValueError, match=message):
            ask(Scores([0.5], signature))


def test_a_score_that_is_no_number_has_no_verdict(made):
    with pytest.raises(ValueError, match="a score is nan"):
        made.calibration.verdicts([0.5, float("nan")])


def test_a_threshold_is_missing_or_twice(made):
    for thresholds in (made.calibration.thresholds[:2], (*made.calibration.thresholds, made.calibration.thresholds[0])):
        with pytest.raises(ValueError, match="there must be one for each rule: accuracy, f1, precision"):
            replace(made.calibration, thresholds=thresholds)


def test_two_are_equal_that_hold_the_same_also_where_a_share_is_not_defined(made):
    *others, last = made.calibration.thresholds
    silent = (*others, replace(last, precision=Estimate(*[float("nan")] * 3)))
    first, second = (replace(made.calibration, thresholds=silent, metadata={"a": [1]}) for _ in range(2))
    assert first == second
    assert first != replace(second, metadata={"a": [2]})
    assert first != made.calibration
    assert first != "another thing"


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


GERMAN = "answersim|weights:0|parts:1|lang:de|floor:0.96|rules:de.5|rev:4"
CHECK = {"n": 100, "data": "some", "equivalent": 0.5, "probability": 0.5, "accuracy": [0.9, 0.8, 0.95]}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of calibrations with one for all languages, which was checked in French."""
    built = replace(
        find("recall"),
        signature=GERMAN,
        metric={"name": "answersim", "lang": "de", "profile": None, "options": {}},
        metadata={shipped_index.ANY_LANGUAGE: True, "languages": {"fr": CHECK}},
    )
    write(built, tmp_path / "answersim-multilingual.json")
    monkeypatch.setattr(storing, "SHIPPED", tmp_path)
    return tmp_path


def french(lang: str) -> str:
    return GERMAN.replace("lang:de", f"lang:{lang}").replace("rules:de", "rules:en")


@pytest.mark.usefixtures("folder")
def test_the_calibration_is_found_for_every_language() -> None:
    for lang in ("de", "fr", "sw"):
        match = find(ANY, GERMAN if lang == "de" else french(lang))
        assert isinstance(match, Calibration)
        assert language_of(match.signature) == lang


@pytest.mark.usefixtures("folder")
def test_a_language_without_a_check_has_a_caution() -> None:
    assert wording.language_caution(find(ANY, french("fr"))) == []
    (caution,) = wording.language_caution(find(ANY, french("sw")))
    assert "not checked in the language 'sw'" in caution


def test_every_code_of_the_table_is_a_language() -> None:
    assert all(codes <= LANGUAGES for codes in SUPPORT)
    assert is_checked("el")
    assert not is_checked("sw")


def test_the_error_is_the_root_mean_square_without_sampling():
    result = transfer({"a": (0.06, 0.0), "b": (-0.08, 0.0)}, "two sets")
    assert result.error == pytest.approx(np.sqrt((0.06**2 + 0.08**2) / 2))
    assert (result.populations, result.least, result.most) == (2, -0.08, 0.06)
    assert transfer({"a": (0.06, 0.08), "b": (-0.08, 0.07)}, "").error == 0


def test_one_set_shows_no_spread():
    with pytest.raises(ValueError, match="1 system or set is given"):
        transfer({"a": (0.1, 0.0)}, "")


def test_the_interval_covers_new_sets_as_often_as_it_promises():
    rng = np.random.default_rng(0)
    covered = []
    for _ in range(3000):
        off, sampling = rng.normal(0, 0.06, 13), 0.02
        known = transfer({str(i): (gap + rng.normal(0, sampling), sampling) for i, gap in enumerate(off[:12])}, "")
        value = 0.6 + off[12] + rng.normal(0, sampling)
        result = known.widened(Estimate(value, value - 1.96 * sampling, value + 1.96 * sampling), 0.95)
        covered.append(result.low <= 0.6 <= result.high)
    assert 0.935 < np.mean(covered) < 0.965


def test_the_condition_of_a_calibration_of_one_set_is_stated():
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=100)
    mine = answersim.calibrate(
        labels + rng.normal(size=100), labels, signature="mine|v:1", bootstrap=answersim.Bootstrap(resamples=5)
    )
    assert transfer_of(mine) is None
    known = Transfer(0.06, 12, -0.1, 0.05, "EVOUNA")
    assert transfer_of(replace(mine, metadata={"transfer": content(known)})) == known
    for words in (condition(None), condition(known)):
        assert "if these answers are like those of the calibration" in words
    assert "is unknown" in condition(None)
    assert "6.0 points (root mean square, from -10 to +5) on 12" in condition(known)


def fitted(n: int, noise: float):
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=n)
    return calibrate(2 * labels + noise * rng.normal(size=n), labels, bootstrap=Bootstrap(resamples=100))


def test_scores_that_do_not_separate_the_labels_give_no_verdict():
    rng = np.random.default_rng(1)
    calibration = calibrate(rng.normal(size=300), rng.integers(2, size=300), bootstrap=Bootstrap(resamples=100))
    assert "these scores do not separate the labels (AUC " in decision(calibration)


def test_the_rule_states_probabilities_scores_and_accuracy():
    calibration = fitted(2000, 1.0)
    low, high = cuts(calibration.curve)
    rule = decision(calibration)
    assert f"equivalent from p 0.7 (score {high:.4f}), different up to p 0.3 (score {low:.4f}), unsure between" in rule
    assert f"{100 * calibration.threshold('accuracy').accuracy.value:.1f} [" in rule
    assert decision(calibration, 0.5, 0.5).startswith("equivalent from p 0.5 (score ")
    assert "unsure between" not in decision(calibration, 0.5, 0.5)
    level = replace(calibration, curve=Isotonic((0.0, 1.0), (0.4, 0.6)))
    assert decision(level).startswith("equivalent from p 0.7 (no score), different up to p 0.3 (no score)")
