"""Agreement within questions: by hand, with the test against the best column, and nothing for single answers."""

from __future__ import annotations

import numpy as np
import pytest

from answersim.agreement.items import item_rows
from answersim.agreement.judgments import Judgments
from answersim.types import Pair, Scores

HOW = {"level": 0.95, "resamples": 500, "seed": 0}


def judged(questions: int = 40, systems: int = 3) -> Judgments:
    """Two systems of three are right by turns; "good" knows it, "easy" knows the question only."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, (questions, systems)).astype(float)
    labels[:, 0], labels[:, 1] = 1, 0
    easy = np.repeat(rng.random(questions), systems)
    n = questions * systems
    return Judgments(
        "made",
        "en",
        tuple(Pair("gold", "a word or two"[: 6 + i % 3]) for i in range(n)),
        labels.ravel(),
        questions=tuple(f"q{i // systems}" for i in range(n)),
        scores={"easy": Scores(easy), "good": Scores(labels.ravel() + 0.001 * rng.random(n), "good|rev:1")},
    )


def test_the_best_column_is_first_and_the_others_are_tested_against_it() -> None:
    data = judged()
    good, *others = item_rows(data, "all", **HOW)
    assert (good.column, good.items, good.pairs, good.kind) == ("good", 40, 120, "metric")
    assert good.accuracy.value == 1
    assert np.isnan(good.p)
    rows = {row.column: row for row in others}
    assert set(rows) == {"easy", "length", "constant"}
    tied = (data.labels.reshape(40, 3).sum(axis=1)[:, None] == [1, 2]).sum() / 120  # one pair of three is tied
    assert rows["easy"].accuracy.value == rows["constant"].accuracy.value == pytest.approx(tied)
    assert rows["constant"].kind == "baseline"
    assert rows["easy"].p == pytest.approx(1 / 501)
    assert rows["easy"].p_holm == pytest.approx(3 / 501)


def test_questions_with_one_answer_have_no_pairs() -> None:
    assert list(item_rows(judged(systems=2).where(np.arange(80) % 2 == 0), "all", **HOW)) == []
    assert list(item_rows(judged(questions=9), "all", **HOW)) == []
