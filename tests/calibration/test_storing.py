"""A calibration: its probabilities and parts; what is read is what was written, and damage has its reason."""

import io
import json
from collections import Counter
from copy import deepcopy
from dataclasses import fields, replace
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import answersim
from answersim._base.signature import language_of
from answersim._base.text_tables import content
from answersim.answers.text.languages import SUPPORT
from answersim.answers.text.tokens import LANGUAGES
from answersim.calibration import calibrate as calibrate_model
from answersim.calibration import shipped_index, storing, wording
from answersim.calibration.fitting import calibrate
from answersim.calibration.model.decision import VERDICTS, cuts
from answersim.calibration.model.model import Calibration
from answersim.calibration.model.parts import METHODS, Method, Provenance, Quality, Threshold
from answersim.calibration.scores import Scores
from answersim.calibration.storing import ANY, SHIPPED, dumps, find, loads, read, shipped, write
from answersim.calibration.transfer import Transfer, condition, transfer, transfer_of
from answersim.calibration.wording import decision, language_caution
from answersim.stats.calibration.monotone import Isotonic
from answersim.stats.intervals.resampling import Bootstrap, Estimate
from tests.calibration.conftest import SIGNATURE, world
from tests.cases import calls_between_files, cases_of, every

ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 1.5, -0.5, 1e308, -1e308, 5e-324, 10**30, 10**400, 95),
    *("", "inf", "-inf", "nan", "0.5", "accuracy", "\ud800", "\x00", "x" * 10_000),
    *([], {}, [0.5], {"value": 0.5}, [[]] * 1000, {"format": 1}),
)


def mutated(text: str, rng: np.random.Generator) -> bytes:
    """Return a calibration file with one to three flaws: in its values, in its structure, or in its bytes."""
    story = json.loads(text)
    for _ in range(int(rng.integers(1, 4))):
        places = list(_places(story))
        holder, key = places[int(rng.integers(len(places)))]
        way = int(rng.integers(8))
        if way < 4:
            holder[key] = deepcopy(ODD[int(rng.integers(len(ODD)))])
        elif way < 6:  # another value of the file takes its place
            other, there = places[int(rng.integers(len(places)))]
            holder[key] = deepcopy(other[there])
        elif isinstance(value := holder[key], list):
            holder[key] = [value[::-1], value * 2, value[:1]][int(rng.integers(3))]
        elif len(places) > 1:
            del holder[key]
    data = json.dumps(story).encode("utf-8", "surrogatepass")
    if rng.random() < 0.15:
        at = int(rng.integers(len(data)))
        data = data[:at] + [b"", b"\xff", data[:80]][int(rng.integers(3))] + data[at + int(rng.integers(1, 200)) :]
    return data


def flaw(path: Path) -> str | None:
    """Return what is wrong with the answer of ``read`` to this file, or None.

    Right is a ValueError of one line that names the file, or a calibration that keeps every promise of its type.
    """
    try:
        rows = read(path)
    except ValueError as error:
        message = str(error)
        if str(path) not in message or len(message) > len(str(path)) + 500:
            return f"the message is {message[:700]!r}"
        return None
    except BaseException as error:
        return f"{type(error).__name__}: {str(error)[:200]}"
    try:
        return _nonsense(rows)
    except BaseException as error:
        return f"it is accepted, and asked for what it says: {type(error).__name__}: {str(error)[:200]}"


def _nonsense(result: Calibration) -> str | None:
    """The first promise of its type that a calibration breaks."""
    at = np.concatenate([np.linspace(-10, 10, 101), [-1e300, 1e300]])
    at.sort()
    probabilities, verdicts = result.probability(at), result.verdicts(at)
    order = [VERDICTS[::-1].index(entry) for entry in verdicts.tolist()]
    facts = result.provenance
    remaining = {
        "probabilities lie in 0 to 1": ((probabilities >= 0) & (probabilities <= 1)).all(),
        "probabilities never fall": (np.diff(probabilities) >= -1e-12).all(),
        "verdicts never fall": order == sorted(order),
        "shares are shares": 0 <= result.threshold("f1").accuracy.value <= 1,
        "counts are counts": 0 < facts.equivalent < facts.n and 0 < facts.groups <= facts.n,
        "it is written and read again": dumps(loads(dumps(result))) == dumps(result),
    }
    return next((rule for rule, held in remaining.items() if not held), None)


def _places(value: Any) -> Any:
    """Every place in objects and lists that holds a value: (holder, key)."""
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from _places(value[key])


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


@every(("place", "value", "message"), cases_of(__file__)["NO_CALIBRATION"])
def test_what_is_no_calibration_is_refused_naming_the_place(tmp_path, plain, place, value, message):
    fields = json.loads(plain)
    *outer, last = place
    holder = reduce(getitem, outer, fields)
    if value == "removed":
        del holder[last]
    elif isinstance(value, dict):
        holder[last].update(value)
    else:
        holder[last] = value
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


@every(("signature", "message"), cases_of(__file__)["scores_of_another_signature_are_refused_with_the_difference"])
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
    assert all(LANGUAGES.issuperset(codes) for codes in SUPPORT.values())


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
    return calibrate_model(2 * labels + noise * rng.normal(size=n), labels, bootstrap=Bootstrap(resamples=100))


def test_scores_that_do_not_separate_the_labels_give_no_verdict():
    rng = np.random.default_rng(1)
    calibration = calibrate_model(rng.normal(size=300), rng.integers(2, size=300), bootstrap=Bootstrap(resamples=100))
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
