"""Listed answers: their order, any text, any format, and no more in memory than their places."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from answersim.calibration.verdicts import AnswerVerdict
from answersim.evaluation.answer_log import AnswerLog, columns_of
from answersim.evaluation.tables import AnswerRow
from answersim.io import files
from tests.cases import every


def answer(row: int, system: str, verdict: AnswerVerdict, probability: float, gold: Any = "g") -> AnswerRow:
    return AnswerRow(str(row), system, verdict, 1 - probability, probability, None, gold, f"pred {row} \u2028 ä")


ANSWERS = [
    answer(1, "b", "wrong", 0.1),
    answer(1, "a", "unsure", 0.5, ["g", "h"]),
    answer(2, "a", "wrong", 0.2),
    answer(3, "a", "wrong", 0.1),
    answer(4, "a", "wrong", 0.1, "\udc80"),
]
ORDER = [ANSWERS[3], ANSWERS[4], ANSWERS[2], ANSWERS[1], ANSWERS[0]]


@pytest.mark.parametrize("in_memory", [1, 10**6])
def test_answers_are_by_system_and_verdict_the_surest_first(in_memory: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("answersim.evaluation.answer_log._IN_MEMORY", in_memory)
    with AnswerLog(["a", "b"], ["wrong", "unsure"]) as listing:
        for one in ANSWERS[:3]:
            listing.add(one)
        assert list(listing.answers()) == [ANSWERS[2], ANSWERS[1], ANSWERS[0]]
        for one in ANSWERS[3:]:  # after it was read
            listing.add(one)
        assert list(listing.answers()) == ORDER
        assert list(listing.answers({"wrong": 1})) == [ORDER[0], ORDER[4]]  # of each system
        assert (len(listing), list(listing.answers({}))) == (5, [])


@every(("suffix", "rows"), [(".csv", 0), (".tsv", 3), (".jsonl", 3), (".jsonl", 0), (".parquet", 3), (".parquet", 0)])
def test_a_table_has_all_answers(tmp_path: Path, suffix: str, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("answersim.io.chunks.ROWS", 2)
    with AnswerLog(["a", "b"], ["wrong"]) as listing:
        for i in range(rows):
            listing.add(answer(i, "a", "wrong", 0.1 * i))
        listing.write(tmp_path / f"t{suffix}")
    if rows or suffix != ".jsonl":
        found = files.read(tmp_path / f"t{suffix}")
        assert [row["row"] for row in found.rows] == [str(i) for i in range(rows)]
        assert set(found.columns) == set(columns_of(False))
