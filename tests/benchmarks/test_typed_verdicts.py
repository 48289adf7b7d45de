"""The agreement of typed verdicts with annotators."""

from __future__ import annotations

import json
import math

import pytest

from answersim.typed import compare
from benchmarks import typed_verdicts
from benchmarks.typed_verdicts import Verdict, nearest, rows
from tests.benchmarks.programs import invoke


@pytest.mark.parametrize(
    ("golds", "pred", "relation"),
    [
        (("1987", "1988"), "nineteen eighty-eight", "equal"),
        (("1987", "1988"), "May 1988", "near"),
        (("1987", "1988"), "1990", "different"),
        (("1987", "a long time ago"), "1990", "none"),
        (("1987", "the eighties"), "1990", "different"),
    ],
)
def test_an_answer_is_different_only_from_all_gold_answers(golds: tuple[str, ...], pred: str, relation: str) -> None:
    assert nearest(compare(gold, pred) for gold in golds).relation == relation


def test_rows_count_and_compare_with_annotators() -> None:
    found = [
        Verdict("a", "equal", "date", 1.0),
        Verdict("a", "equal", "number", 1.0),
        Verdict("b", "equal", "number", 0.0),
        Verdict("c", "different", "date", 0.0),
        Verdict("d", "none", "", 1.0),
    ]
    equal, dates, numbers, near, different, *_ = rows("set", found, kinds=True)
    assert (equal.n, equal.share, equal.agreement) == (3, 0.6, pytest.approx(2 / 3))
    assert (equal.low, equal.high) == (0.0, 1.0)
    assert (dates.kind, dates.n, dates.agreement, math.isnan(dates.low)) == ("date", 1, 1.0, True)
    assert (numbers.kind, numbers.n, numbers.agreement) == ("number", 2, 0.5)
    assert (near.n, math.isnan(near.agreement)) == (0, True)
    assert (different.relation, different.n, different.agreement) == ("different", 1, 1.0)


def test_the_command_prints_the_probe() -> None:
    done = invoke("typed_verdicts", "--sets", "probe,probe-de", "--format", "json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert [row["relation"] for row in found] == [*typed_verdicts.RELATIONS] * 2
    sure = [row for row in found if row["relation"] != "near"]
    assert all(row["n"] > 5 and 0 <= row["low"] <= row["agreement"] <= row["high"] <= 1 for row in sure)
