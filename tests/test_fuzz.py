import random
import time
from collections.abc import Iterator

import pytest

from tests.fuzz import odd
from tests.fuzz.__main__ import table
from tests.fuzz.area import AREAS, Checked, Round, area, at_most


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
    assert lines[4].startswith(f"| at times | no number is below .25 | {first.cases:,} | {first.failures:,} |")
    assert all("\n" not in example for example in first.examples)
    assert [line for line in lines if line.startswith("- `round ")] == [f"- `{example}`" for example in first.examples]


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


def test_damaged_training_checkpoints_are_found():
    pytest.importorskip("torch")
    result = AREAS["damaged training checkpoints"].run(random.Random(0), 0.1)
    assert (result.failures, result.examples) == (0, [])
