"""The overhead of a judge: what is measured, and what the command prints. No test asserts a time."""

from __future__ import annotations

import json
from importlib.util import find_spec

import pytest

from tests.benchmarks.programs import invoke

pytestmark = pytest.mark.skipif(
    not any(map(find_spec, ("httpx", "httpx2"))), reason="needs httpx: pip install '.[judge]'"
)


def test_requests_are_sent_and_replayed() -> None:
    arguments = "judge --requests 8 --concurrency 4 --milliseconds 1 --repetitions 1 --format json"
    done = invoke("speed", *arguments.split())
    assert done.exit_code == 0, done.output
    (row,) = json.loads(done.stdout)
    assert (row["requests"], row["concurrency"], row["ideal_s"]) == (8, 4, 0.002)
    assert row["seconds"] > row["ideal_s"]
    assert row["ratio"] == pytest.approx(row["seconds"] / row["ideal_s"])
    assert row["cpu_ms"] > 0 < row["replay_s"]
