"""The made answers of the audits: their truth is known, and the page has all verifiers."""

from __future__ import annotations

import random

import numpy as np
import pytest

import answersim
from benchmarks import audits


def test_right_and_wrong_answers_differ_and_formulas_are_marked() -> None:
    cases = audits.cases(2)
    assert {case.kind for case in cases} == {"words", "numbers", "mathematics"}
    assert all(not set(case.right) & set(case.wrong) for case in cases)
    rng = random.Random(0)
    formula = next(case for case in cases if case.kind == "mathematics")
    texts = [audits._written(formula.gold, formula, rng) for _ in range(100)]
    assert all(f"${formula.gold}$" in text or f"\\boxed{{{formula.gold}}}" in text for text in texts)


def test_the_shares_of_right_answers_are_those_of_the_systems() -> None:
    table = audits.answers(each=8)
    for system, share in audits.SYSTEMS.items():
        assert np.mean(table[f"truth {system}"]) == pytest.approx(share, abs=0.05)
        assert len(table[system]) == len(table["gold"])


def test_few_labels_estimate_the_rates_of_all() -> None:
    table = audits.answers(each=1)
    few = audits.by_few_labels("em", table, 60).rates[0]
    labels = table[f"truth {audits.FIRST}"]
    (whole,) = answersim.audit("em", table, labels, pred=audits.FIRST, attacked=0).rates
    assert few.labels == 60
    assert few.rates is not None
    assert whole.rates is not None
    assert few.rates.false_negative.low <= whole.rates.false_negative.value <= few.rates.false_negative.high


def test_the_tables_have_a_row_per_verifier_and_subset() -> None:
    table = audits.answers(each=1)
    labels = {system: table[f"truth {system}"] for system in audits.SYSTEMS}
    whole = answersim.audit("em", table, labels, pred=list(audits.SYSTEMS), by=["kind"], attacked=1)
    lines = audits._tables({"em": (whole, audits.by_few_labels("em", table, 60))})
    assert [line.split(" | ")[1] for line in lines[2:7]] == [
        "all",
        "careful",
        "kind=words",
        "kind=numbers",
        "kind=mathematics",
    ]
    assert lines[-2].startswith("| em | ")
    assert lines[-1].startswith("| the truth | ")


def test_math_verify_has_no_verdict_on_a_gold_answer_that_it_cannot_read() -> None:
    pytest.importorskip("math_verify", reason="needs math-verify: pip install 'math-verify[antlr4_13_2]==0.9.0'")
    assert audits.math_verify(["1/2", ""], ["$0.5$", "5"]) == [1.0, None]
