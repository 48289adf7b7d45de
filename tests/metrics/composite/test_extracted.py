r"""Metrics on final answers: 600 outputs of all forms, right and wrong in pairs, and what the numbers state."""

import json
import pickle

import numpy as np
import pytest

import answersim
from answersim._base.errors import ExtractionWarning
from answersim._base.signature import without_extraction
from answersim.answers.extraction import Extractor
from answersim.calibration.storing import find
from answersim.metrics.composite.extracted import ExtractedMetric
from tests import command_line

FORMS = {  # {0} is the answer, {1} another one that is mentioned before
    "boxed": "I tried {1} first. The answer is $\\boxed{{{0}}}$.",
    "text in a box": "So it is \\boxed{{\\text{{{0}}}}}",
    "answer tag": "<think>Is it {1}?</think><answer>{0}</answer>",
    "cut tag": "Not {1}.\n<answer> {0}",
    "hash": "First {1}.\n#### {0}",
    "final": "It could be {1}. So the final answer is {0}.",
    "bold": "Not {1}.\n\n**Final Answer:** {0}",
    "heading": "## Reasoning\n{1} is wrong.\n\n### Answer\n{0}",
    "German": "Nicht {1}. Die Antwort lautet: {0}",
    "corrected": "The answer is {1}. Wait, the answer is {0}.",
    "reasoning": "<think>Perhaps {1}.</think>\n{0}",
    "reasoning without a start": "Perhaps {1}.</think>{0}",
}
ANSWERS = [("Paris", "Rome"), ("72", "24"), ("J. K. Rowling", "Ann"), ("3.14", "2.71"), ("New York", "Boston")]


def outputs() -> list[dict[str, str]]:
    """Return 600 rows: each form with each pair of answers, right and wrong, five times."""
    rows = []
    for _ in range(5):
        for form, text in FORMS.items():
            for one, other in ANSWERS:
                rows.append({"gold": one, "pred": text.format(one, other), "form": form, "right": "yes"})
                rows.append({"gold": one, "pred": text.format(other, one), "form": form, "right": "no"})
    return rows


def test_all_forms_are_read_and_only_the_final_answer_counts(tmp_path):
    rows = outputs()
    assert len(rows) == 600
    file = tmp_path / "outputs.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    output = tmp_path / "all.jsonl"
    text = command_line.output("evaluate", file, "-m", "em", "--extract", "auto", "--keep", "right,wrong", "-o", output)
    assert "300 of 600 right" in text
    assert "final answers by the rule auto: in 600 of 600 predictions" in text
    written = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    by_row = {int(row["row"]): row for row in written}
    for number, row in enumerate(rows, start=1):
        assert (by_row[number]["verdict"] == "right") == (row["right"] == "yes"), row
        assert by_row[number]["answer"] in row["pred"]
        assert by_row[number]["rule"]


def test_without_extraction_a_note_counts_the_readable_answers():
    rows = outputs()
    result = answersim.evaluate({"gold": [row["gold"] for row in rows], "pred": [row["pred"] for row in rows]}, "em")
    assert any("350 of 600 predictions contain a box" in note for note in result.notes)
    short = answersim.evaluate({"gold": ["Rome"], "pred": ["Rome"]}, "em")
    assert not any("extract" in note for note in short.notes)


def test_the_rule_is_signed():
    metric = answersim.metric("f1", extract="auto")
    assert metric.signature == "f1|text:en|extract:auto.2|rev:1"
    assert answersim.metric("f1", extract="hash:empty", extract_gold="hash").signature == (
        "f1|text:en|extract:hash.2.empty|extract_gold:hash.2|rev:1"
    )
    assert pickle.loads(pickle.dumps(metric)) == metric
    assert without_extraction(metric.signature) == answersim.metric("f1").signature
    assert answersim.metric("f1", extract=None) == answersim.metric("f1")


def test_a_calibration_of_answers_is_valid_for_answers_that_were_read_out():
    scored = answersim.score("Rome", "So \\boxed{Rome}", metric="recall", extract="boxed", calibration="shipped")
    assert scored.verdict == "equivalent"
    assert find("shipped", scored.signature) == find("recall")


def test_predictions_without_an_answer_are_counted_and_never_a_silent_zero():
    with pytest.warns(ExtractionWarning, match="finds no final answer in 1 of 2 predictions"):
        scores = answersim.score(["Rome", "Oslo"], ["Rome", "\\boxed{Oslo}"], metric="em", extract="boxed")
    assert scores.values.tolist() == [1.0, 1.0]
    with pytest.warns(ExtractionWarning, match="as empty answers"):
        assert answersim.score("Rome", "Rome", metric="em", extract="boxed:empty") == 0.0
    with pytest.raises(ValueError, match="finds no answer"):
        answersim.score("Rome", "Rome", metric="em", extract="boxed:error")


def test_gold_answers_are_read_on_request():
    gold = "She has 3 + 4 = 7.\n#### 7"
    assert answersim.score(gold, "\\boxed{7}", metric="em", extract="auto", extract_gold="hash") == 1.0
    with pytest.raises(TypeError, match="without extract"):
        answersim.metric("em", extract_gold="hash")


def test_a_rule_that_does_not_exist_is_an_error_before_any_work():
    with pytest.raises(LookupError, match="did you mean 'boxed'"):
        answersim.metric("em", extract="boxd")
    with pytest.raises(ValueError, match="revision 9"):
        answersim.metric("em", extract="auto.9")


class Reading:
    """1 for a pair with a question."""

    signature = "reading|v:1"
    reads_questions = True

    def __call__(self, pairs, questions=None):
        return np.array([float(bool(question)) for question in questions or [""] * len(pairs)])


def test_metrics_that_read_questions_still_get_them():
    metric = ExtractedMetric(Reading(), Extractor())
    assert metric.reads_questions
    assert answersim.score("Rome", "\\boxed{Rome}", metric=metric, question="Where?") == 1.0
