"""The speed of a reward: what is measured, and what the command prints. No test asserts a time."""

from __future__ import annotations

import json

import numpy as np

from benchmarks.reasoning_outputs import reasoning_outputs
from benchmarks.speed_reward import measured, rules, table
from tests.benchmarks.programs import invoke, message


def test_a_row_has_what_the_program_accepts() -> None:
    rows = reasoning_outputs(6, rng=np.random.default_rng(0))
    found = measured("rules", rules(), rows)
    assert (found.n, found.of_model, found.accepted) == (48, 0.0, 1.0)
    half = measured("half", lambda rows: ([0.5 if row.answer == "right" else 1.0 for row in rows], 0.25), rows)
    assert (half.of_model, half.accepted, half.accepted_wrong) == (0.25, 0.0, 1.0)
    assert len(table([found, half]).rows) == 2


def test_the_command_prints_the_programs() -> None:
    result = invoke("speed", *"reward --programs rules --prompts 3 --format json".split())
    assert [row["program"] for row in json.loads(result.output)] == ["rules"]
    assert "'rule'" in message(invoke("speed", *"reward --programs rule".split()))
