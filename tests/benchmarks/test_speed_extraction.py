"""The speed of extraction: which rules are measured, and on what. No test asserts a time."""

import json
import random

from answersim.extraction import NAMES, Extractor
from benchmarks import speed_extraction
from tests.benchmarks.programs import invoke


def test_the_outputs_have_the_stated_length_and_answers():
    outputs = [speed_extraction.made_output(i, random.Random(i)) for i in range(6)]
    assert all(1_800 < len(text) < 2_200 for text in outputs)
    found = [Extractor("auto", "empty")(text) for text in outputs]
    assert [answer.text for answer in found[:5]] == ["72", "Paris", "72", "72", "Rome"]
    assert found[5].rule is None


def test_the_command_prints_a_row_per_rule():
    done = invoke("speed", *"extraction --size 6 --repetitions 1 --format json".split())
    assert done.exit_code == 0, done.output
    assert [row["rule"] for row in json.loads(done.stdout)] == ["lm-eval, all numbers", *NAMES]
