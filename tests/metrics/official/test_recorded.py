"""Every recorded case and set of the owners' code, exactly."""

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import answersim
from answersim.metrics import official
from answersim.metrics.catalog import lookup
from answersim.metrics.official.api import value_of
from answersim.metrics.official.metric import options_of
from answersim.types import capabilities

FOLDER = Path(os.environ.get("ANSWERSIM_DATA") or "nowhere") / "official"
FILES = sorted(FOLDER.glob("*.json"))


@pytest.fixture(scope="module")
def recorded(request):
    if not FILES:
        if "data" in os.environ.get("ANSWERSIM_REQUIRE", ""):
            pytest.fail(f"{FOLDER} has no recorded cases, but they are required")
        pytest.skip("ANSWERSIM_DATA names no folder with official/*.json: the recorded outputs of the owners' code")
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in FILES}


def test_each_case_has_the_output_of_the_owner(recorded):
    wrong = []
    for name, content in recorded.items():
        for case in content["cases"]:
            fields = {key: value for key, value in case.items() if key not in ("golds", "pred", "out", "kind")}
            fields |= {"context": content["context"]} if "context" in content else {}
            result = official.score(name, case["golds"], case["pred"], **fields)
            if result != case["out"]:
                wrong.append((name, case, result))
    assert not wrong, wrong[:3]


def test_each_case_has_the_output_of_inspect_at_the_commit():
    content = json.loads((Path(__file__).parent / "data" / "inspect_f1.json").read_text(encoding="utf-8"))
    assert official.profile("inspect_f1").commit in content["owner"]
    cases = content["cases"]
    assert [official.score("inspect_f1", case["golds"], case["pred"]) for case in cases] == [c["out"] for c in cases]
    assert len({str(case["out"]) for case in cases}) >= 10


def test_a_number_that_is_called_a_verdict_is_always_0_or_1(recorded):
    for name, content in recorded.items():
        profile = official.profile(name)
        for part in profile.parts:
            metric = _metric(name, None, (("part", part),)) if profile.input != "reply" else None
            numbers = {value_of(case["out"], part) for case in content["cases"] if not _raises(case["out"], part)}
            numbers -= {0.1 * (name == "verl_gsm8k")}  # its format_score
            assert (capabilities(metric).scale == "binary") == (numbers <= {0.0, 1.0}), (name, part)


def _raises(out, part):
    return isinstance(out.get(part, out), dict) and "score" not in out.get(part, out)


@pytest.mark.filterwarnings("ignore::answersim._base.errors.GoldFormWarning")  # some recorded cases are odd on purpose
def test_each_case_has_the_number_of_the_owner_as_a_metric_too(recorded):
    wrong, tested = [], 0
    for name, content in recorded.items():
        parts = official.profile(name).parts
        for case in content["cases"]:
            if not parts or case["pred"] is None or not case["golds"]:
                continue
            gold = _gold_of_a_row(name, case)
            options = tuple((field, case[field]) for field in options_of(name) if field in case)
            metric = _metric(name, case.get("lang"), options)
            pred = case["pred"] if isinstance(case["pred"], str) else json.dumps(case["pred"])
            expected = case["out"].get(parts[0], case["out"])
            expected = expected.get("score", expected) if isinstance(expected, dict) else expected
            number: Any
            try:
                number = answersim.score([gold], [pred], metric=metric)[0]
            except ValueError:
                number = {"raises": "ValueError"}
            if isinstance(number, dict) != isinstance(expected, dict) or (
                not isinstance(number, dict) and number != float(expected or 0)
            ):
                wrong.append((name, case, number))
            tested += 1
    assert tested > 10_000
    assert not wrong, wrong[:3]


@pytest.mark.parametrize(
    ("name", "owner"),
    [
        ("em", "squad exact_match"), ("em", "squad2 exact"), ("em", "musique em"), ("em", "hotpotqa em"),
        ("f1", "squad2 f1"), ("f1", "musique f1"),
    ],
)  # fmt: skip
def test_em_and_f1_equal_the_owners_that_the_catalog_names(recorded, name, owner):
    cases = [case for content in recorded.values() for case in content["cases"] if isinstance(case["pred"], str)]
    pairs = [(gold, case["pred"]) for case in cases for gold in case["golds"] if isinstance(gold, str)]
    profile, part = owner.split()
    mine = answersim.metric(name, profile="squad")(pairs)
    assert mine.tolist() == answersim.metric(f"official:{profile}", part=part)(pairs).tolist()
    assert len(pairs) == 11_757
    assert profile in lookup.entry(name).summary


@cache
def _metric(name, lang, options):
    return answersim.metric(f"official:{name}", lang=lang, **dict(options))


def _gold_of_a_row(name, case):
    """Return the value that a column of gold answers has for this case."""
    golds = case["golds"]
    if name == "quoref" or (name == "drop" and case["mode"] == "pair"):
        return [golds]  # spans of one answer
    if name == "tatqa":
        return {field: case[field] for field in ("golds", "scale", "answer_type", "pred_scale") if field in case}
    if name == "triviaqa":
        return golds + case["human_answers"]
    return golds


def test_each_set_has_the_table_of_the_owner(recorded):
    tested = 0
    for name, content in recorded.items():
        for recorded_set in content.get("sets", ()):
            assert _rounded(official.aggregate(name, recorded_set)) == _rounded(recorded_set["out"]), name
            tested += 1
    assert tested >= 150


def test_the_commit_is_the_one_that_was_run(recorded):
    for name, content in recorded.items():
        assert content["source"].partition("@")[2].startswith(official.profile(name).commit), name


def _rounded(value):
    """Sums of floats are compared to 1e-9: the rules do not fix the order of addition."""
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    return round(value, 9) if isinstance(value, float) else value
