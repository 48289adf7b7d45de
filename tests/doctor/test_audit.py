"""audit: error rates of a verifier from few labels of made answers whose truth is known."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim.doctor.audit import draw
from tests.cases import every

N = 600


def made(seed: int = 0) -> dict[str, list[Any]]:
    """Return answers of two systems with their truth. Verdicts err on 10 % of right answers and 20 % of wrong ones."""
    rng = np.random.default_rng(seed)
    table: dict[str, list[Any]] = {"id": list(range(N)), "q": [f"q{i}" for i in range(N)], "gold": ["yes"] * N}
    for system, share in (("a", 0.8), ("b", 0.5)):
        truth = rng.random(N) < share
        table[system] = ["yes" if right else "I don't know." if i % 5 == 0 else "no" for i, right in enumerate(truth)]
        table[f"truth_{system}"] = truth.astype(float).tolist()
        table[f"verdict_{system}"] = np.where(truth, rng.random(N) > 0.1, rng.random(N) < 0.2).astype(float).tolist()
    table["kind"] = ["even" if i % 2 == 0 else "odd" for i in range(N)]
    return table


TABLE = made()
COLUMNS: dict[str, Any] = {"pred": ["a", "b"], "question": "q"}


def sparse(truth: list[float], every: int) -> list[float]:
    return [value if i % every == 0 else float("nan") for i, value in enumerate(truth)]


@pytest.fixture(scope="module")
def found() -> answersim.Audit:
    labels = {system: sparse(TABLE[f"truth_{system}"], 8) for system in "ab"}
    return answersim.audit("verdict_a,verdict_b", TABLE, labels, by=["kind"], **COLUMNS)


def test_the_intervals_of_recorded_verdicts_contain_the_truth(found: answersim.Audit) -> None:
    truth = np.array(TABLE["truth_a"] + TABLE["truth_b"]) == 1
    called = np.array(TABLE["verdict_a"] + TABLE["verdict_b"]) == 1
    rates = found.rates[0].rates
    assert rates is not None
    for estimate, value in zip(
        rates, (called[~truth].mean(), (~called[truth]).mean(), (called == truth).mean()), strict=False
    ):
        assert estimate.low <= value <= estimate.high
        assert estimate.high - estimate.low < 0.25
    assert found.verifier == "column:verdict_a,verdict_b"
    assert found.attacks is None
    assert found.repeated is None


def test_systems_and_subsets_have_rows(found: answersim.Audit) -> None:
    assert [row.subset for row in found.rates] == ["all", "a", "b", "kind=even", "kind=odd"]
    assert [row.n for row in found.rates] == [2 * N, N, N, N, N]
    assert found.rates[-1].rates is None  # each eighth row is even
    assert "0 labels" in found.rates[-1].why


def test_the_share_of_each_system_is_corrected_and_the_order_is_kept(found: answersim.Audit) -> None:
    for row, system in zip(found.systems, "ab", strict=True):
        assert row.corrected is not None
        assert row.corrected.ppi.low <= np.mean(TABLE[f"truth_{system}"]) <= row.corrected.ppi.high
    (pair,) = found.orders
    assert (pair.better, pair.worse, pair.order) == ("a", "b", "kept")


def test_a_verifier_that_prefers_the_wrong_system_reverses_the_order() -> None:
    table = {**TABLE, "verdict_a": [0.0] * N, "verdict_b": [1.0] * N}
    labels = {system: TABLE[f"truth_{system}"] for system in "ab"}
    (pair,) = answersim.audit("verdict_a,verdict_b", table, labels, **COLUMNS).orders
    assert (pair.better, pair.order, pair.by_verifier) == ("a", "reversed", -1.0)


def test_refusals_and_missing_verdicts_are_counted() -> None:
    table = {**TABLE, "verdict_a": [None, *TABLE["verdict_a"][1:]]}
    attempts, refusals, none = answersim.audit("verdict_a", table, pred="a").abstentions
    assert (attempts.n + refusals.n, none.n, none.accepted.value) == (N, 1, 0.0)
    assert refusals.n == sum(pred != "yes" and pred != "no" for pred in TABLE["a"])


def test_a_function_is_attacked_and_repeated_and_one_that_changes_is_found() -> None:
    calls = []

    def unstable(golds: list[str], preds: list[str]) -> list[bool]:
        calls.append(len(preds))
        return [len(calls) % 2 == 1] * len(preds)

    found = answersim.audit(unstable, TABLE, pred="a", attacked=1)
    assert found.repeated is not None
    assert found.repeated.changed.value == 1.0
    assert found.attacks is not None
    assert len(found.attacks.attacks) > 30
    assert found.seconds > 0
    assert found.rates[0].rates is None
    assert "1 of" not in found.summary()[0]


def test_a_drawn_sheet_has_accepted_and_rejected_rows_and_gives_the_rates(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    how: dict[str, Any] = {"pred": "a", "question": "q"}
    drawn = draw("em", TABLE, sheet, rows=100, **how)
    with sheet.open(newline="") as file:
        rows = list(csv.DictReader(file))
    truth = dict(zip(TABLE["q"], TABLE["truth_a"], strict=True))
    for row in rows:
        row["label"] = str(truth[row["q"]])
    with sheet.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    assert sum(row["a"] == "yes" for row in rows) == 50
    assert len(drawn.rows) == 100
    rates = answersim.audit("em", TABLE, sheet, attacked=0, **how).rates[0]
    assert rates.labels == 100
    assert rates.rates is not None
    assert rates.rates.false_positive.value == rates.rates.false_negative.value == 0.0
    assert rates.rates.false_positive.high < 0.15


@every(
    ("verifier", "more", "error", "message"),
    [
        ("column:nothing", {}, LookupError, "no column 'nothing'"),
        ("verdict_a", {"attacked": 5}, ValueError, "cannot be attacked"),
        ("verdict_a,verdict_b,kind", {"pred": ["a", "b"]}, ValueError, "3 columns of verdicts are given for 2"),
        ("em", {"em": [1.0] * N}, ValueError, "write column:em"),
        ("em", {"labels": [1.0] * 5 + [float("nan")] * (N - 5)}, ValueError, "at least 10"),
    ],
)
def test_mistakes_are_errors_with_a_remedy(verifier: str, more: dict[str, Any], error: Any, message: str) -> None:
    table = TABLE | {name: more.pop(name) for name in list(more) if name == "em"}
    with pytest.raises(error, match=message):
        answersim.audit(verifier, table, **({"pred": "a"} | more))


def test_the_column_of_the_name_of_a_metric_can_be_named() -> None:
    assert answersim.audit("column:em", {**TABLE, "em": [1.0] * N}, pred="a").rates[0].accepted == 1.0


def test_a_judge_that_replays_is_audited_without_attacks_and_repetitions(tmp_path: Path) -> None:
    file = tmp_path / "verdicts.csv"
    file.write_text("gold,pred,verdict\nyes,yes,correct\nyes,no,incorrect\nyes,I don't know.,no\n", encoding="utf-8")
    judge = answersim.metric("judge", verdicts=str(file))
    found = answersim.audit(judge, TABLE, TABLE["truth_a"], pred="a")
    assert found.rates[0].accepted == pytest.approx(np.mean(TABLE["truth_a"]))
    assert (found.attacks, found.repeated) == (None, None)
    assert found.signature.startswith("judge|verdicts:")
    assert found.rates[0].rates is not None
    assert found.rates[0].rates.accuracy.value == 1.0
