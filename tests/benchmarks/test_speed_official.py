"""The speed of official rules: the loops give the numbers of the rules. No test asserts a time."""

import json

from benchmarks import speed_official
from tests.benchmarks.programs import invoke


def test_the_loops_give_the_numbers_of_the_metrics():
    found = speed_official.rows(size=400, repetitions=1)
    assert [row.name for row in found] == [
        "official:squad, exact_match",
        "official:squad, f1",
        "official:nq_open, correct",
        "official:triviaqa, em",
        "official:triviaqa, f1",
    ]
    assert {row.max_abs_diff for row in found} == {0.0}


def test_the_command_prints_rows_as_json():
    done = invoke("speed", *"official --size 20 --repetitions 1 --format json".split())
    assert done.exit_code == 0, done.output
    assert {(row["peer"], row["n"]) for row in json.loads(done.stdout)} == {("loop", 20)}
