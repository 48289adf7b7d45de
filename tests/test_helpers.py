"""What the tests and the fuzz share: tables of cases, pairwise products, areas, and skips that may not be in CI."""

import inspect
import random
import re
import time
from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tests.fuzz
from tests.cases import every
from tests.conftest import _missing_is_a_failure
from tests.fuzz import odd
from tests.fuzz.__main__ import table
from tests.fuzz.area import AREAS, Checked, Round, area, at_most
from tests.pairwise import pairwise


def test_each_case_runs_and_each_failure_is_listed():
    seen = []

    @every("second", "ab")
    @every(("first", "two"), [(1, 1), (1, 2), (3, 4)])
    def check(first, two, second, fixture):
        seen.append((first, second, fixture))
        if first == 3:
            with pytest.raises(ValueError, match="raised by nothing"):
                pass
        assert first == two

    assert list(inspect.signature(check).parameters) == ["fixture"]
    with pytest.raises(pytest.fail.Exception, match=r"2 of 2 cases fail:\n\('a',\): .*2 of 3 cases fail") as failure:
        check(fixture=None)
    assert seen == [(first, second, None) for second in "ab" for first in (1, 1, 3)]
    assert "(3, 4): Failed: DID NOT RAISE" in str(failure.value)


def test_a_table_without_cases_and_one_with_marks_are_errors():
    with pytest.raises(AssertionError, match="there is no case of one"):
        every("one", [])
    with pytest.raises(AssertionError, match="a case has no marks"):
        every("one", [1, pytest.param(2, marks=pytest.mark.slow)])


@given(st.lists(st.integers(1, 6), min_size=2, max_size=5))
@settings(deadline=None)
def test_every_two_values_of_different_parameters_meet(sizes):
    parameters = [[f"{i}:{value}" for value in range(size)] for i, size in enumerate(sizes)]
    cases = pairwise(*parameters)
    assert set(cases) <= set(product(*parameters))
    for first, second in combinations(range(len(sizes)), 2):
        met = {(case[first], case[second]) for case in cases}
        assert met == set(product(parameters[first], parameters[second]))


@every(("sizes", "most"), [((12, 11, 7), 140), ((3, 3, 3, 3), 12), ((2,) * 10, 12), ((5, 4), 20)])
def test_there_are_few_cases_and_the_same_ones_each_time(sizes, most):
    parameters = [range(size) for size in sizes]
    assert len(pairwise(*parameters)) <= most
    assert pairwise(*parameters) == pairwise(*parameters)


def test_one_parameter_gives_all_its_values_and_an_empty_one_no_case():
    assert pairwise("ab") == [("a",), ("b",)]
    assert pairwise("ab", "") == []


PAPER = "needs the paper's sets: set ANSWERSIM_DATA to the folder that contains sas/"
SKIPS = (
    ("data", PAPER, "failed"),
    ("wordnet,data", PAPER, "failed"),
    ("wordnet", PAPER, "skipped"),
    ("", PAPER, "skipped"),
    ("wordnet", "needs Debian's WordNet (apt-get install wordnet-base)", "failed"),
    ("libraries", "could not import 'peft': No module named 'peft'", "failed"),
    ("libraries", "needs the extra `report`", "failed"),
    ("libraries", "could not import 'tomllib': No module named 'tomllib'", "skipped"),
    ("libraries", "needs the extra 'ray'", "skipped"),
    ("libraries,data,wordnet", "there is no fork there", "skipped"),
)


@pytest.mark.parametrize(("required", "reason", "outcome"), SKIPS)
def test_a_skip_for_what_is_required_is_a_failure(required, reason, outcome, monkeypatch):
    monkeypatch.setenv("ANSWERSIM_REQUIRE", required)
    report = pytest.TestReport("id", ("a.py", 1, "a"), {}, "skipped", ("a.py", 1, f"Skipped: {reason}"), "call")
    after = _missing_is_a_failure(report)
    assert after.outcome == outcome
    assert reason in str(after.longrepr)
    assert ("may not be missing" in str(after.longrepr)) == (outcome == "failed")


@pytest.fixture
def fails_at_times() -> Iterator[str]:
    """An area that is wrong for every fourth number or so, and raises for every tenth."""

    @area("at times", "no number is below .25")
    def at_times() -> Iterator[Round]:
        def make_round(rng: random.Random) -> Checked:
            number = rng.random()
            if number > 0.9:
                raise RuntimeError(f"not {number}")
            return 2, [f"{number} | is\nlow"] if number < 0.25 else []

        yield make_round

    yield "at times"
    del AREAS["at times"]


def test_a_seed_gives_the_same_rounds_and_failures_are_counted_and_shown(fails_at_times):
    first, second = (AREAS[fails_at_times].run(random.Random(4), 0.05) for _ in range(2))
    assert first.failures > 3
    assert first.examples == second.examples
    assert len(first.examples) == 3
    assert first.cases > first.failures
    lines = table([first], 4).splitlines()
    counts = f"{first.cases:,} | {first.failures:,} | {100 * first.failures / first.cases:.2f} %"
    assert lines[4].startswith(f"| at times | no number is below .25 | {counts} |")
    assert all("\n" not in example for example in first.examples)
    assert [line for line in lines if line.startswith("- `round ")] == [f"- `{example}`" for example in first.examples]


def test_each_fault_of_the_review_names_tests_that_exist():
    sources = [path.read_text(encoding="utf-8") for path in Path(__file__).parent.rglob("test_*.py")]
    defined = {name for source in sources for name in re.findall(r"^def (test_\w+)", source, re.MULTILINE)}
    faults = re.split(r"^- (?=T\d)", tests.fuzz.__doc__, flags=re.MULTILINE)[1:]
    assert [fault.split(",")[0] for fault in faults] == [f"T{number}" for number in range(1, 16)]
    for fault in faults:
        named = set(re.findall(r"``(test_\w+)``", fault))
        assert named, fault
        assert named <= defined, named - defined
    kinds = {f"hostile: {kind}" for kind in re.findall(r"``hostile: ([a-z ]+)``", tests.fuzz.__doc__)}
    assert kinds <= set(AREAS)


def test_a_round_that_hangs_is_a_failure():
    with pytest.raises(TimeoutError, match="more than"), at_most(0.05):
        time.sleep(60)


def test_every_area_has_a_promise_and_the_damage_is_real():
    assert len(AREAS) >= 11
    assert all(area.promise for area in AREAS.values())
    rng = random.Random(0)
    content = bytes(range(256))
    assert sum(odd.damaged(rng, content) != content for _ in range(200)) > 190


def test_the_sandbox_hides_the_users_folders(monkeypatch):
    import os

    monkeypatch.setenv("ANSWERSIM_DATA", "/somewhere")
    before = dict(os.environ), os.getcwd()
    with odd.sandbox() as folder:
        assert "ANSWERSIM_DATA" not in os.environ
        assert os.environ["HOME"].startswith(str(folder.parent))
        assert os.path.samefile(os.getcwd(), folder)
    assert (dict(os.environ), os.getcwd()) == before
