"""``evaluate`` and ``compare`` on 600 outputs of reasoning models: all forms, each right and wrong."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

import answersim
from answersim.evaluation.systems.results import Evaluation
from tests.command_line import output as run

THINKING = "<think>It could be {other}, or even 7. Let me see: \\boxed{{{other}}}? No.</think>\n"
FORMS = {  # by the rule of "auto" that reads the answer
    "boxed": ["So the answer is \\boxed{{{answer}}}.", THINKING + "\\[\\boxed{{\\text{{{answer}}}}}\\]"],
    "answer-tag": ["<answer>{answer}</answer>", THINKING + "First {other}.\n<answer> {answer} </answer>"],
    "hash": ["We add both numbers.\n#### {answer}"],
    "final": ["**Final answer:** {answer}", "It was long ago. The answer is {answer}.", "Antwort: {answer}"],
    "reasoning": [THINKING + "{answer}"],
    None: ["{answer}"],
}
ABSTENTIONS = ["I don't know.", THINKING + "I am not sure.", "\\boxed{{\\text{{unknown}}}}", ""]
GOLDS = ["72", "Paris", "3.5", "Marie Curie", "1969"]
N = 600


def outputs() -> list[dict[str, str]]:
    """Return 600 rows: every form with each answer, right and wrong in turn, and abstentions in the last tenth."""
    forms = [(rule, form) for rule, of_rule in FORMS.items() for form in of_rule]
    rows = []
    for i in range(N):
        gold, other = GOLDS[i // 2 % 5], GOLDS[(i // 2 + 1) % 5]
        rule, form = forms[i // 2 % len(forms)]
        kind = "right" if i % 2 == 0 else "wrong"
        if i >= 9 * N // 10:
            rule, form, kind = None, ABSTENTIONS[i % 4], "not attempted"
        answer = gold if kind == "right" else other
        other = other if kind == "right" else gold
        rows.append({"gold": gold, "pred": form.format(answer=answer, other=other), "rule": str(rule), "kind": kind})
    return rows


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("outputs") / "outputs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in outputs()), encoding="utf-8")
    return path


def evaluated(path: Path, **how: str) -> Evaluation:
    return answersim.evaluate(path, "em", keep=("right", "wrong", "unsure", "not attempted"), progress=False, **how)


def test_every_form_is_decided_as_it_was_made(path: Path) -> None:
    found = evaluated(path, extract="auto")
    verdicts = {int(answer.row): answer for answer in found.answers}
    rows = outputs()
    assert [verdicts[i].verdict for i in range(1, N + 1)] == [row["kind"] for row in rows]
    attempted = [i for i, row in enumerate(rows) if row["kind"] != "not attempted"]
    assert [str(verdicts[i + 1].rule) for i in attempted] == [rows[i]["rule"] for i in attempted]
    for answer in found.answers:
        if answer.place is not None and answer.rule is not None:
            assert answer.answer in answer.pred[slice(*answer.place)]
    row = found.row()
    assert (row.right, row.wrong, row.not_attempted) == (270, 270, 60)
    assert [round(rate.value, 3) for rate in row.attempts] == [0.9, 0.5, 0.474]


def test_the_command_states_the_counts_the_rules_and_what_was_not_found(path: Path, tmp_path: Path) -> None:
    output = tmp_path / "answers.jsonl"
    text = run(
        "evaluate", path, "-m", "em", "--extract", "auto", "--keep", "wrong,right,not attempted", "-o", output, "-v"
    )
    assert "270 of 600 right, 45 % [41, 49]; 270 wrong, 0 unsure, 60 not attempted" in text
    rows = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    missing = Counter(row["rule"] for row in rows)[None]
    assert f"; {missing} ({round(100 * missing / N)} %) have none and are read as a whole" in " ".join(text.split())
    assert "right of attempted" in text


def test_without_a_rule_the_hint_counts_what_one_would_read(path: Path) -> None:
    text = " ".join(run("evaluate", path, "-m", "em", "--rows", 0).split())
    marked = sum(any(mark in row["pred"] for mark in ("\\boxed", "<think>", "<answer>", "####")) for row in outputs())
    assert f"{marked} of 600 predictions contain a box, a mark or a reasoning tag" in text
    assert "extract='auto'" in text


def test_two_rules_are_compared_in_each_rate(path: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain.jsonl"
    rows = [row | {"other": row["gold"] if i % 3 else "no idea"} for i, row in enumerate(outputs())]
    plain.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    text = run("compare", plain, "--pred", "pred,other", "-m", "em", "--extract", "auto", "--rows", 0, "-v")
    assert "67 % [63, 70] attempted against 90 % [87, 92]" in text
    assert "right of the attempted answers against 50 %" in text
    assert "final answers by the rule auto: in" in text
