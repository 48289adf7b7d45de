"""Calibrations in files: what is read is what was written, and what is no calibration is refused with the reason."""

import io
import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import answersim
from answersim.calibration.fitting import calibrate
from answersim.calibration.storing import ANY, dumps, find, loads, read, shipped, write
from answersim.calibration.wording import language_caution
from answersim.stats.resampling import Bootstrap
from tests.calibration.conftest import SIGNATURE, world
from tests.calibration.mutations import flaw, mutated
from tests.cases import every
from tests.tracing import calls_between_files

real_open = io.open


@pytest.fixture(scope="session")
def texts(made):
    """Calibrations of either curve, and one without any verdict."""
    few = [
        calibrate(*world(120, 3, apart), method="logistic", bootstrap=Bootstrap(resamples=20)) for apart in (1.5, 0.0)
    ]
    return [dumps(entry) for entry in (made.calibration, *few)]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["isotonic", "logistic"]), st.floats(0, 3))
def test_json_keeps_every_digit_nan_and_infinity(seed, method, apart):
    scores, labels = world(60, seed, apart)
    labels[:24] = np.arange(24) % 2
    calibration = calibrate(
        scores, labels, method=method, bootstrap=Bootstrap(resamples=5), metadata={"data": "ä", "n": [1, {"x": None}]}
    )
    text = dumps(calibration)
    assert "NaN" not in text
    assert "Infinity" not in text
    again = loads(text)
    assert dumps(again) == text
    at = np.linspace(-3, 6, 50)
    assert (again.probability(at) == calibration.probability(at)).all()
    assert (again.verdicts(at) == calibration.verdicts(at)).all()
    assert again.metadata == calibration.metadata


@pytest.fixture(scope="module")
def plain() -> str:
    """A small calibration as JSON."""
    return dumps(calibrate(*world(100, 3), method="logistic", bootstrap=Bootstrap(resamples=5)))


@every(
    ("change", "message"),
    [
        (lambda fields: fields.pop("format"), "format is missing or null, but it must be 'answersim .*; a later"),
        (
            lambda fields: fields.update(format="answersim calibration 5"),
            "format is 'answersim calibration 5', but it must be 'answersim calibration 4'; .* version of answersim",
        ),
        (lambda fields: fields.pop("thresholds"), "the file lacks the field 'thresholds'"),
        (lambda fields: fields.update(more=1), "the file has no field 'more'; it has curve"),
        (lambda fields: fields.update(signature=3), "signature is 3 \\(int\\), but it must be text"),
        (lambda fields: fields.update(curve=None), "curve is missing or null, but it must be an object"),
        (lambda fields: fields["curve"].update(method="magic"), "'magic', but it must be isotonic or logistic"),
        (lambda fields: fields["curve"].update(slope="steep"), "curve.slope is 'steep'"),
        (lambda fields: fields["curve"].update(slope=-1.0), "do not define a rising curve"),
        (lambda fields: fields["thresholds"][1].update(rule="magic"), r"thresholds\[1\].rule is 'magic'"),
        (lambda fields: fields["thresholds"][0]["cut"].pop("low"), r"thresholds\[0\].cut lacks the field 'low'"),
        (lambda fields: fields["provenance"].update(n=1.5), r"provenance.n is 1.5 \(float\), .* whole number"),
        (lambda fields: fields.update(metric=[]), "metric is a list of 0, but it must be an object"),
        (lambda fields: fields["metric"].update(name=3), "metric.name is '3', but it must be a text"),
        (lambda fields: fields["metric"].update(options=[]), "metric.options is '\\[\\]', but it must be an object"),
        (
            lambda fields: fields["thresholds"][0]["accuracy"].update(value=1.5),
            r"thresholds\[0\]: accuracy.value is '1.5', .* 0 to 1",
        ),
        (
            lambda fields: fields["thresholds"][2]["recall"].update(low=1, high=0.5),
            r"thresholds\[2\]: recall.low is '1.0', .* above",
        ),
        (lambda fields: fields["thresholds"].pop(), "thresholds is .*one for each rule: accuracy, f1"),
        (lambda fields: fields["thresholds"][0]["cut"].update(value=None), r"thresholds\[0\]: cut.value is 'nan'"),
        (lambda fields: fields["reliability"]["bins"].pop(), "each of the 100 pairs must be in exactly one bin"),
        (lambda fields: fields["provenance"].update(n=10**400), "provenance.n is an integer of more than 30 digits"),
        (lambda fields: fields["provenance"].update(equivalent=100), "is '100', but of 100 pairs .* most 99"),
        (lambda fields: fields["provenance"].update(target=95), "target is '95.0', .* between 0 and 1"),
        (lambda fields: fields["provenance"].update(folds=True), r"folds is True \(bool\), .* whole number"),
        (lambda fields: fields["quality"].update(auc=None), "quality: auc is 'nan', but it must be from 0 to 1"),
        (lambda fields: fields.update(signature="\ud800"), "signature is '.*', but half a surrogate pair"),
    ],
)
def test_what_is_no_calibration_is_refused_naming_the_place(tmp_path, plain, change, message):
    fields = json.loads(plain)
    change(fields)
    (tmp_path / "bad.json").write_text(json.dumps(fields))
    with pytest.raises(ValueError, match=f"bad.json contains no calibration: .*{message}"):
        read(tmp_path / "bad.json")


@every(
    "text",
    ["", "{", "[]", "3", "[" * 100_000, '{"a": ' * 100_000, "NaN", '{"format": 1, "format": 2}', "9" * 5000, "\x00"],
)
def test_what_is_not_even_json_is_refused(tmp_path, text):
    (tmp_path / "bad.json").write_text(text)
    with pytest.raises(ValueError, match=r"bad\.json contains no calibration"):
        read(tmp_path / "bad.json")


def test_the_error_for_a_missing_file_has_the_remedy(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no calibration at .*; make one with 'answersim calibrate FILE"):
        read(tmp_path / "none.json")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        write(calibrate(*world(100, 4), bootstrap=Bootstrap(resamples=5)), tmp_path / "none" / "mine.json")


def test_a_calibration_is_found_as_itself_as_a_file_and_by_name(made, tmp_path):
    write(made.calibration, tmp_path / "mine.json")
    for asked in (made.calibration, tmp_path / "mine.json", str(tmp_path / "mine.json")):
        assert find(asked, SIGNATURE) == made.calibration
    f1 = find("f1")
    assert f1 == find("shipped", f1.signature)


@pytest.mark.parametrize("calibration", [ANY, "recall"])
def test_a_second_evaluation_opens_no_calibration_and_enters_few_functions(monkeypatch, calibration):
    rows = {"gold": ["Rome", "Paris"], "pred": ["in Rome", "London"]}

    def act() -> None:
        answersim.evaluate(rows, metric="recall", calibration=calibration)

    act()
    opened: list[object] = []
    monkeypatch.setattr(io, "open", lambda file, *args, **options: opened.append(file) or real_open(file, *args))
    calls = calls_between_files(act)
    assert opened == []
    assert ("storing.py", "find") in calls
    assert len(calls) <= 360, Counter(file for file, _ in calls)


def test_a_calibration_that_was_written_again_is_read_again(made, tmp_path):
    path = tmp_path / "mine.json"
    write(made.calibration, path)
    first = find(path)
    assert find(path) is first
    write(replace(made.calibration, metadata={"data": "others"}), path)
    assert find(path).metadata == {"data": "others"}
    path.unlink()
    with pytest.raises(FileNotFoundError, match="no calibration at"):
        find(path)


def test_a_name_that_does_not_ship_is_answered_with_those_that_do():
    assert list(shipped()) == sorted(shipped())
    with pytest.raises(LookupError, match="did you mean 'sas'"):
        find("sass")
    with pytest.raises(LookupError, match="no shipped calibration is for 'mine"):
        find("shipped", SIGNATURE)
    with pytest.raises(TypeError, match=r"calibration is 3 \(int\)"):
        find(3)  # type: ignore[arg-type]


def test_a_file_that_is_too_large_to_be_a_calibration_is_not_read(tmp_path):
    with (tmp_path / "huge.json").open("wb") as file:
        file.truncate(200_000_000)  # a hole, which takes no room
    with pytest.raises(ValueError, match="has 200,000,000 bytes, but a calibration has at most"):
        read(tmp_path / "huge.json")


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2**32 - 1), st.integers(0, 2))
def test_a_mutated_file_is_refused_in_one_clear_line_or_is_valid(tmp_path, texts, seed, which):
    """Two thirds are refused. The others change a digit, or metadata."""
    (tmp_path / "mutant.json").write_bytes(mutated(texts[which], np.random.default_rng(seed)))
    assert flaw(tmp_path / "mutant.json") is None


# --- in another language


def test_an_english_calibration_is_used_in_german_after_a_check():
    german = answersim.metric("f1", lang="de").signature
    match = find(ANY, german)
    assert (match.signature, match.curve) == (german, find("f1").curve)
    check = match.metadata["language"]
    assert (check["lang"], check["n"]) == ("de", 107)
    assert check["accuracy"][1] > max(check["equivalent"], 1 - check["equivalent"])
    assert find("f1", german) == match
    (caution,) = language_caution(match)
    assert "made on English answers and is used for 'de'. On 107 pairs" in caution
    assert language_caution(find("f1")) == []
    words = "das ist die Antwort auf diese Frage, wie viele Leute wohl meinen"
    preds = [f"{city}, {words}" for city in ("Rom", "Bonn")]
    scores = answersim.score(["Rom", "Ulm"], preds, metric="f1", lang="de", calibration=ANY)
    assert scores.verdicts.tolist() == ["equivalent", "different"]


def test_a_check_that_does_not_support_it_gives_no_verdicts_and_the_reason():
    german = answersim.metric("recall", lang="de").signature
    with pytest.raises(
        LookupError, match=r"'recall' is not used for 'de': on 421 pairs .* not surely more than 72\.7 %"
    ):
        find(ANY, german)
    with pytest.raises(ValueError, match="text is de and not en"):
        find("recall", german)


@pytest.mark.data
def test_the_recorded_check_is_what_german_quad_gives(data_home):
    loaded = answersim.evaluation.data.load("germanquad")
    loaded = loaded.where(~np.isnan(loaded.labels))
    for name in ("f1", "recall", "rouge-l"):
        calibration = find(name)
        check = calibration.metadata["languages"]["de"]
        covered = np.array([len(pred.split()) >= calibration.least_words for _, pred in loaded.pairs])
        scores = answersim.score_pairs(loaded.pairs, [name], lang="de")[name].values[covered]
        right = (scores >= calibration.threshold("accuracy").cut.value) == (loaded.labels[covered] >= 1)
        assert right.mean() == pytest.approx(check["accuracy"][0], abs=1e-3)
        assert calibration.probability(scores).mean() == pytest.approx(check["probability"], abs=1e-3)
