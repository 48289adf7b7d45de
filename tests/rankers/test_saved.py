"""Rankers as folders; trained networks and committees are saved and loaded in test_contract."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rankers
from rankers import saved
from rankers.committee import Committee
from rankers.models.bm25 import Bm25
from rankers.models.random_order import RandomOrder
from rankers.models.word_overlap import WordOverlap

ASKED = (["who wrote it?"], [["Ann wrote it", "it rained", "wrote and wrote"]])


def test_bm25_is_kept_with_its_counts(tmp_path: Path) -> None:
    ranker = Bm25.fit(["Ann wrote it", "nobody did", "it rained"])
    saved.save(ranker, tmp_path / "bm25")
    back = rankers.load(tmp_path / "bm25")
    assert back == ranker
    assert (back.score(*ASKED)[0] == ranker.score(*ASKED)[0]).all()


def test_a_committee_is_kept_with_its_weights_and_calibration(tmp_path: Path) -> None:
    members = (Bm25.fit(["Ann wrote it", "nobody did"]), Bm25.fit(["it rained", "nobody did"]))
    committee = Committee(members, (1.0, 3.0), "question")
    saved.save(committee, tmp_path)
    back = saved.load(tmp_path)
    assert isinstance(back, Committee)
    assert (back.weights, back.calibration) == ((0.25, 0.75), "question")
    np.testing.assert_array_equal(back.score(*ASKED)[0], committee.score(*ASKED)[0])


@pytest.mark.parametrize("ranker", [RandomOrder(0), WordOverlap()])
def test_what_is_not_trained_is_not_kept(ranker: rankers.Ranker, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="use its name"):
        saved.save(ranker, tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


def test_a_folder_without_a_ranker_names_what_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"config\.json, committee\.json and bm25\.json"):
        saved.load(tmp_path)
