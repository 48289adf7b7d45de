"""The program that prints all measurements of speed."""

from __future__ import annotations

import json

import pytest

from benchmarks import speed
from benchmarks.speed_rows import Clocks, Row
from tests.benchmarks.programs import invoke


@pytest.fixture(autouse=True)
def _no_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANSWERSIM_DATA", raising=False)


def test_without_a_command_all_parts_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    row = Row("f1", "them", 7, 0.5, 2.0, 4.0, 0.0)
    asked = []

    def part(clock: Clocks) -> list[Row]:
        asked.append(clock)
        return [row]

    more = row._replace(name="bi-encoder", precision="fp32")
    monkeypatch.setattr(speed, "PARTS", (part, lambda clock: [more]))
    done = invoke("speed", "--format", "json")
    assert done.exit_code == 0, done.output
    assert [(row["name"], row["precision"]) for row in json.loads(done.stdout)] == [
        ("f1", None),
        ("bi-encoder", "fp32"),
    ]
    shown = invoke("speed", "--clock", "wall").stdout
    assert "bi-encoder" in shown
    assert "seconds of wall time, of a machine without other work; medians" in " ".join(shown.split())
    assert asked == [Clocks.processor, Clocks.wall]
