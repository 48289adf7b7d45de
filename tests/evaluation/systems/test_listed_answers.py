"""Listed answers: their order, and how many of each system and verdict."""

from __future__ import annotations

from typing import Any

import numpy as np

from answersim.answers.tables.reader import read_answers
from answersim.calibration.verdicts import ANSWER_VERDICTS, Decided
from answersim.evaluation.systems.listed_answers import listed_answers, places_of

TABLE: dict[str, Any] = {"gold": ["g", ["g", "h"], "g", "g"], "a": ["1", "2", "3", "4"], "b": ["1", "g", "g", "g"]}


def decided(verdicts: list[str], keys: list[float]) -> Decided:
    codes = np.array([ANSWER_VERDICTS.index(verdict) for verdict in verdicts], dtype=np.int8)  # type: ignore[arg-type]
    return Decided(1 - np.array(keys), np.array(keys), codes)


def test_answers_are_by_system_and_verdict_the_least_probable_first() -> None:
    answers = read_answers(TABLE, pred=["a", "b"])
    numbers = {
        "a": decided(["wrong", "unsure", "wrong", "wrong"], [0.2, 0.5, 0.1, 0.1]),
        "b": decided(["wrong", "right", "right", "right"], [0.1, 0.9, 0.9, 0.9]),
    }
    places = places_of(numbers, ["wrong", "unsure"])
    rows = [(row.system, row.verdict, row.row) for row in listed_answers(places, answers, numbers, None)]
    assert rows == [
        ("a", "wrong", "3"),
        ("a", "wrong", "4"),
        ("a", "wrong", "1"),
        ("a", "unsure", "2"),
        ("b", "wrong", "1"),
    ]
    first = list(listed_answers(places, answers, numbers, None, {"wrong": 1, "unsure": 0}))
    assert [(row.system, row.row, row.probability, row.score) for row in first] == [
        ("a", "3", 0.1, 0.9),
        ("b", "1", 0.1, 0.9),
    ]


def test_without_verdicts_nothing_is_listed() -> None:
    assert places_of({"a": Decided(np.zeros(2), None, None)}, ["wrong"]) == {}
