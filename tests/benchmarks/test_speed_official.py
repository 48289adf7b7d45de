"""The speed of official rules: the loops give the numbers of the rules. No test asserts a time."""

import json

from tests.benchmarks.programs import invoke


def test_the_loops_give_the_numbers_of_the_metrics():
    done = invoke("speed", *"official --size 400 --repetitions 1 --format json".split())
    assert done.exit_code == 0, done.output
    rows = json.loads(done.stdout)
    assert [row["name"] for row in rows] == [
        "official:squad, exact_match",
        "official:squad, f1",
        "official:nq_open, correct",
        "official:triviaqa, em",
        "official:triviaqa, f1",
    ]
    assert {(row["peer"], row["n"], row["max_abs_diff"]) for row in rows} == {("loop", 400, 0.0)}
