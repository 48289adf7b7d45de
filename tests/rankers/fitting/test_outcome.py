"""A training is reported beside rankers without training and earlier trainings, on the same dev questions."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import rankers
from rankers.models.baselines import RandomOrder, WordOverlap
from rankers.systems import baselines, catalog, outcome, publishing
from rankers.systems.fit import Trainings
from rankers.systems.outcome import UNTRAINED
from rankers.training.definitions import Untrained
from rankers.types import Candidate, Question

BM25 = "bm25 (counts of the training candidates)"
pytestmark = pytest.mark.usefixtures("_small_systems")


@pytest.fixture
def fitted(train, dev, tmp_path, monkeypatch):
    """``fitted(name)``: a training and its lines, with word overlap in the place of the untrained default."""

    def make(name, default=None, **changes):
        untrained = {
            "bm25": baselines.SYSTEMS["bm25"],
            UNTRAINED: Untrained(lambda q, s: default or WordOverlap(), "", ""),
        }
        monkeypatch.setattr(catalog, "SYSTEMS", {**catalog.SYSTEMS, **untrained})
        lines: list[str] = []
        given: dict[str, Any] = {"folder": tmp_path, "preset": "smoke", "log": lines.append, **changes}
        plan = Trainings(given.pop("train", train), given.pop("dev", dev), **given)
        return outcome.fit(name, plan), lines

    return make


def test_the_untrained_default_and_bm25_are_measured_before_the_training(fitted, dev):
    result, lines = fitted("small")
    expected = rankers.evaluate(rankers.run(WordOverlap(), dev), dev, ["MRR"]).tie_averaged["MRR"].mean()
    assert lines[0] == f"{UNTRAINED}, without training: dev MRR {expected:.4f}"
    assert lines[1].startswith(f"{BM25}, without training: dev MRR ")
    assert lines[2].startswith("small: epoch   0")
    assert result.baselines[UNTRAINED] == pytest.approx(expected)
    own = rankers.evaluate(rankers.run(result, dev), dev, ["MRR"]).tie_averaged["MRR"].mean()
    assert result.value == pytest.approx(own)
    assert [(row.first, row.second, row.n_questions) for row in result.comparisons] == [
        (name, "small", result.n_questions) for name in (UNTRAINED, BM25)
    ]
    assert result.comparisons[0].difference == pytest.approx(result.value - expected)
    assert result.comparisons[0].low <= result.comparisons[0].difference <= result.comparisons[0].high
    assert UNTRAINED in result.to_markdown()


def test_the_card_has_what_was_measured_on_dev(fitted, tmp_path):
    cards = {}
    for name, kept in (("small", "best"), ("small-ckpt", "last")):
        result, _ = fitted(name, overrides={"keep": kept, "epochs": 2}, folder=tmp_path / kept)
        publishing.publish(name, tmp_path / kept, tmp_path / f"card-{kept}")
        cards[kept] = (tmp_path / f"card-{kept}" / publishing.CARD).read_text(encoding="utf-8")
        below = ", below the untrained default" if result.is_below_untrained else ""
        assert f"| dev MRR | {result.value:.4f}{below} |" in cards[kept]
        for row in result.comparisons:
            gap = f"this model minus it: {row.difference:+.4f} [{row.low:+.4f} .. {row.high:+.4f}]"
            assert f"| dev MRR of {row.first} | {result.baselines[row.first]:.4f} (baseline); {gap} |" in cards[kept]
        assert [row.first for row in result.comparisons] == [UNTRAINED, BM25]
        modes = {path.stat().st_mode & 0o777 for path in (tmp_path / f"card-{kept}").iterdir()}
        assert modes == {0o666 & ~umask()}
    assert "; the best state was selected on them, so its numbers are optimistic |" in cards["best"]
    assert "; the last state was kept |" in cards["last"]


def umask() -> int:
    value = os.umask(0)
    os.umask(value)
    return value


def test_a_training_below_the_untrained_default_says_so(fitted, dev, tmp_path):
    class Oracle:
        signature = "oracle"

        def score(self, questions, candidates):
            good = {c.text: c.grade for question in dev for c in question.candidates}
            return [np.array([float(good[text]) for text in pool]) for pool in candidates]

    below, _ = fitted("small", default=Oracle(), overrides={"epochs": 0})
    assert below.is_below_untrained
    assert "over 6 dev questions, below the untrained default: minilm-hybrid has 1.000 (-0.5" in str(below)
    publishing.publish("small", tmp_path, tmp_path / "card")
    assert (
        f"| dev MRR | {below.value:.4f}, below the untrained default |" in (tmp_path / "card" / "README.md").read_text()
    )
    above, _ = fitted("small", default=RandomOrder(3), folder=tmp_path / "above")
    assert above.is_below_untrained == (above.value < above.baselines[UNTRAINED])


def test_the_best_earlier_training_in_the_folder_is_compared_too(fitted, tmp_path):
    first, _ = fitted("small")
    second, _ = fitted("small-dns")
    assert [row.first for row in second.comparisons] == [UNTRAINED, BM25, "small"]
    assert second.baselines["small"] == pytest.approx(first.value)
    other, _ = fitted("small-ckpt", folder=tmp_path / "other")
    assert [row.first for row in other.comparisons] == [UNTRAINED, BM25]


def test_a_finished_training_is_compared_without_a_line_and_a_damaged_run_is_made_again(fitted, tmp_path):
    first, _ = fitted("small")
    again, lines = fitted("small")
    assert lines == []
    assert again.comparisons == first.comparisons
    (tmp_path / "dev" / "bm25.json").write_text("{")
    assert fitted("small")[0].baselines == first.baselines


def test_a_baseline_without_weights_is_named_as_missing(fitted, monkeypatch):
    from answersim._base.errors import CheckpointNotFoundError

    class Missing:
        signature = "missing"

        def score(self, questions, candidates):
            raise CheckpointNotFoundError("no weights")

    result, lines = fitted("small", default=Missing())
    assert lines[0] == f"{UNTRAINED} is not compared: no weights"
    assert [row.first for row in result.comparisons] == [BM25]
    assert not result.is_below_untrained


def test_questions_that_are_left_out_are_counted(fitted, train, dev):
    no_positive = Question("none", "is nothing right?", (Candidate("a", "no", 0), Candidate("b", "not", 0)))
    more = replace(train, items=(*train.items, no_positive))
    _, lines = fitted("small", train=more, overrides={"limit": 4, "dev_limit": 3})
    assert "small: 1 of 11 training questions have no relevant candidate and are left out" in lines
    assert "small: only the first 4 of 10 training questions are used (limit; 0 uses all)" in lines
    assert f"small: only the first 3 of {len(dev)} dev questions are used (dev_limit; 0 uses all)" in lines
