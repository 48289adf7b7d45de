"""Samples of lm-evaluation-harness: a file that lm-eval 0.4.13 wrote with its dummy model, and variations of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from answersim.answers.logs import lm_eval
from tests.cases import every

WRITTEN = Path(__file__).parent / "data" / "lm-eval-0.4.13.jsonl"
SAMPLE = json.loads(WRITTEN.read_text(encoding="utf-8").splitlines()[0])


def read(folder: Path, *samples: Any, part: str | None = None) -> list[dict[str, Any]]:
    path = folder / "samples_x.jsonl"
    path.write_text("".join(json.dumps(sample) + "\n" for sample in samples), encoding="utf-8")
    return list(lm_eval.rows(path, part))


def test_each_line_is_a_row_and_a_target_that_was_a_list_is_one_again():
    assert list(lm_eval.rows(WRITTEN)) == [
        {"id": "0", "question": "Which city is the capital of Italy?", "gold": ["Rome", "Roma"], "pred": "lol"},
        {"id": "1", "question": "How many players has a football team?", "gold": ["eleven"], "pred": "lol"},
    ]


@every("responses", [["a"], [["a", "b"]], [[["a"]]]])
def test_the_answer_is_the_first_response(tmp_path, responses):
    assert read(tmp_path, SAMPLE | {"filtered_resps": responses})[0]["pred"] == "a"


def test_raw_response_and_prompt_replace_missing_fields(tmp_path):
    sample = SAMPLE | {"doc": {"text": "x"}, "filtered_resps": []}
    assert read(tmp_path, sample)[0] == {
        "id": "0",
        "question": "Q: Which city is the capital of Italy?\nA:",
        "gold": ["Rome", "Roma"],
        "pred": "lol",
    }
    assert read(tmp_path, sample | {"arguments": [["prompt", {}]]})[0]["question"] == ""


def test_of_several_filters_one_is_chosen(tmp_path):
    samples = [SAMPLE | {"filter": "strict-match"}, SAMPLE | {"filter": "flexible", "filtered_resps": ["yes"]}]
    with pytest.raises(ValueError, match=r"line 2: .*\(strict-match, flexible.*--from lm-eval:flexible"):
        read(tmp_path, *samples)
    assert [row["pred"] for row in read(tmp_path, *samples, part="flexible")] == ["yes"]
    with pytest.raises(LookupError, match=r"of the filter 'loose'; its filters are strict-match, flexible"):
        read(tmp_path, *samples, part="loose")


@every("response", [[-1.5, False], ["-1.5", "False"], [["-1.5", "False"], ["-2.5", "True"]]])
def test_log_likelihoods_are_no_answers(tmp_path, response):
    with pytest.raises(ValueError, match="a log-likelihood instead of an answer"):
        read(tmp_path, SAMPLE | {"filtered_resps": [response]})


@every(
    ("sample", "message"),
    [
        ([1], "line 1: there must be an object with the field 'doc'"),
        ({"doc": {}, "resps": [["a"]], "doc_id": 1}, "the field 'target', but there is"),
    ],
)
def test_a_line_that_is_no_sample_is_named(tmp_path, sample, message):
    with pytest.raises(ValueError, match=message):
        read(tmp_path, sample)
    (tmp_path / "broken.jsonl").write_text("{\n")
    with pytest.raises(ValueError, match=r"broken\.jsonl, line 1: not JSON"):
        list(lm_eval.rows(tmp_path / "broken.jsonl"))
