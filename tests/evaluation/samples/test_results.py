"""The forms of the result of samples."""

from __future__ import annotations

import json

import answersim

FOUND = answersim.groups({"q": ["?"] * 3, "gold": ["Rome"] * 3, "pred": ["Rome", "rome", "Oslo"]}, question="q")


def test_records_are_groups_by_question() -> None:
    assert [(row["answer"], row["n"], row["right"]) for row in FOUND.records()] == [
        ("Rome", 2, True),
        ("Oslo", 1, False),
    ]
    assert FOUND.records()[0]["spellings"] == "Rome | rome"


def test_tables_show_measures_and_the_questions_with_the_highest_entropy() -> None:
    titles = [table.title for table in FOUND.tables()]
    assert titles == [
        "The majority and the best of k samples",
        "Distinct answers",
        "The questions with the highest entropy",
    ]
    assert list(FOUND.tables(0))[-1].title == "Distinct answers"
    assert json.loads(FOUND.to_json())["at"][-1]["k"] == 3
    assert "95% intervals over questions" in FOUND.footer()
