"""The effect of corrected labels: what is corrected, and the difference of tau on the same resamples."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from answersim.evaluation.data import LabeledPairs
from answersim.types import Pair
from benchmarks import relabeling
from benchmarks.paper_sets import Scored
from benchmarks.relabeling import BY_MEANING, REMOVED, TABLES, Correction, effect

N = 80


@pytest.fixture
def made() -> tuple[Correction, list[Scored]]:
    """Half of the pairs share a word. The good metric follows the labels after the correction, the bad one does not."""
    rng = np.random.default_rng(0)
    pairs = tuple(Pair(f"red {i}", f"red {i + 1}" if i % 2 else f"blue b{i}") for i in range(N))
    after = rng.integers(0, 3, N).astype(np.float64)
    before = np.where(rng.random(N) < 0.5, after, rng.integers(0, 3, N))
    kept = rng.random(N) < 0.9
    data = LabeledPairs("made", "en", pairs, before)
    scored = [
        Scored("good", "computed", after + rng.normal(0, 0.1, N), "good|rev:1"),
        Scored("bad", "computed", rng.random(N), "bad|rev:1"),
    ]
    return Correction("made", data, after, kept), scored


def test_both_taus_are_those_of_scipy_on_the_rows_before_and_after(made: tuple[Correction, list[Scored]]) -> None:
    correction, scored = made
    shared = np.arange(N) % 2 == 1
    for one in effect(correction, scored, resamples=50):
        rows = shared if one.subset == "F1!=0" else ~shared
        values = next(column.values for column in scored if column.metric == one.metric)
        left = rows & correction.kept
        assert one.n == left.sum()
        assert one.before == pytest.approx(stats.kendalltau(values[rows], correction.pairs.labels[rows]).statistic)
        assert one.after == pytest.approx(stats.kendalltau(values[left], correction.after[left]).statistic)
        assert one.difference == pytest.approx(one.after - one.before)
        assert one.low <= one.difference <= one.high


def test_only_the_metric_that_follows_the_corrected_labels_gains(made: tuple[Correction, list[Scored]]) -> None:
    effects = effect(*made, resamples=1000)
    assert all(one.p_holm < 0.05 and one.difference > 0 for one in effects if one.metric == "good")
    assert all(one.p_holm > 0.05 for one in effects if one.metric == "bad")


def test_rows_with_the_same_answers_are_matched_by_their_labels_first() -> None:
    same, other = Pair("Rome!", "Paris"), Pair("a", "b")
    released = LabeledPairs("r", "en", (same, same, other, same), np.array([0.0, 2.0, 1.0, 0.0]))
    table = LabeledPairs("t", "en", (Pair("Rome", "Paris"), same, other), np.array([1.0, 2.0, 1.0]))
    assert relabeling.matched_rows(table, released).tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="row 2 of the recorded scores is not in the released file"):
        relabeling.matched_rows(LabeledPairs("t", "en", (other, other), np.array([1.0, 1.0])), released)


@pytest.mark.data
def test_the_corrections_of_nq_open_are_those_of_its_files(data_home: Path) -> None:
    found = {correction.name: correction for correction in relabeling.corrections()}
    table, removed, second = found[TABLES], found[REMOVED], found[BY_MEANING]
    changed = table.pairs.labels != table.after
    assert (len(table.after), changed.sum()) == (
        3559,
        40,
    )  # 40 labels were raised: see answersim.evaluation.data.datasets
    assert (table.after[changed] > table.pairs.labels[changed]).all()
    assert (table.pairs.recorded["sas"][changed] > 0.5).sum() > 30  # the authors looked where SAS disagreed
    assert (len(removed.after), (~removed.kept).sum()) == (3658, 3658 - 3559)
    assert (removed.kept & (removed.pairs.labels != removed.after)).sum() == 40
    assert len(second.after) == 1547
    assert set(second.after.tolist()) == {0.0, 1.0, 2.0}
