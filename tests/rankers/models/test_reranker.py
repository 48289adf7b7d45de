"""The reranker that ships: the hybrid with an adapter that was trained for ranking."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

import rankers
from answersim._base.errors import ChecksumError, TruncationWarning
from answersim.metrics.checkpoints import adapter
from answersim.metrics.checkpoints.profiles import SHIPPED
from answersim.metrics.checkpoints.search import PINNED
from rankers import api
from rankers.models.minilm import MiniLmHybrid
from rankers.systems.baselines import RERANKER_ADAPTER, RERANKER_LATE
from rankers.types import Ranker
from tests.rankers.promises import few
from tests.rankers.small_minilm import needs_minilm

pytest.importorskip("torch")

FOLDER = SHIPPED / RERANKER_ADAPTER
QUESTIONS = ["When was the bridge built?", "Who wrote the report?"]
CANDIDATES = [
    ["It was built in 1883.", "I like green tea.", "The bridge is long; the river below it is deep."],
    ["The report was written by Ann.", "It rained all day.", "I like green tea."],
]


@pytest.fixture(scope="module")
def reranker():
    needs_minilm()
    ranker: Ranker = api.resolve("minilm-reranker")
    return ranker


def test_its_files_are_small_pinned_and_under_their_own_license():
    files = {path.name: path for path in FOLDER.iterdir()}
    assert set(files) == {"LICENSE", "README.md", adapter.CONFIG, adapter.WEIGHTS, adapter.RECIPE}
    assert sum(path.stat().st_size for path in files.values()) < 4_000_000
    adapter.verify(FOLDER)
    recipe = json.loads(files[adapter.RECIPE].read_text(encoding="utf-8"))
    assert set(recipe["sha256"]) == {adapter.CONFIG, adapter.WEIGHTS}
    assert PINNED["sentence-transformers/all-MiniLM-L6-v2"].sha256["model.safetensors"] == recipe["base"]["sha256"]
    card = files["README.md"].read_text(encoding="utf-8")
    assert "license: cc-by-sa-4.0" in card
    assert recipe["command"] in card
    assert "CC BY-SA 4.0" in files["LICENSE"].read_text(encoding="utf-8")


def test_it_is_the_hybrid_with_the_adapter_in_its_signature(reranker):
    assert isinstance(reranker, MiniLmHybrid)
    assert f"+{RERANKER_ADAPTER}@{adapter.fingerprint(FOLDER)}/fp32" in reranker.signature
    assert reranker.late == RERANKER_LATE
    assert reranker != MiniLmHybrid(late=RERANKER_LATE)
    for scores in reranker.score(QUESTIONS, CANDIDATES):
        assert scores.argmax() == 0


def test_it_ranks_the_toy_set_much_better_than_word_overlap(reranker):
    toy = few(rankers.data.load("toy", "dev"), 20, 8)
    by_name = {
        name: rankers.evaluate(rankers.run(ranker, toy, name), toy, measures=["MRR"]).mean("MRR")
        for name, ranker in (("word-overlap", "word-overlap"), ("reranker", reranker))
    }
    assert by_name["reranker"] > by_name["word-overlap"] + 0.1


def test_odd_texts_have_a_finite_score_or_an_error_that_names_them(reranker):
    odd = ["???", "日本の首都は東京です。", "👩‍👩‍👧 🏴", "a\tb\n\nc\u00a0d", "\u200b", "naïve façade", "x" * 3000]
    ranked = rankers.rank("What is the capital of Japan?", odd, reranker)
    assert all(np.isfinite(candidate.score) for candidate in ranked)
    assert rankers.rank("?", ["!"], reranker)[0].index == 0
    for candidates, message in (
        (["a", " "], r"candidates\[1\] is ' '"),
        (["a", "b", "a"], r"candidates\[0\] and candidates\[2\] are the same text"),
    ):
        with pytest.raises(ValueError, match=message):
            rankers.rank("Why?", candidates, reranker)


def test_truncation_is_reported_and_what_was_cut_does_not_count(reranker):
    long = "The bridge was built in 1883. " * 100
    with pytest.warns(TruncationWarning, match="2 texts were longer than the encoder reads"):
        first, second = reranker.score(QUESTIONS[:1], [[long, long + "Green tea."]])[0]
    assert first == second


def test_a_damaged_adapter_is_refused(tmp_path, tiny):
    copy = shutil.copytree(FOLDER, tmp_path / "copy")
    weights = copy / adapter.WEIGHTS
    weights.write_bytes(weights.read_bytes()[:-1] + b"\0\1")
    with pytest.raises(ChecksumError, match="restore it"):
        replace(MiniLmHybrid(str(tiny("bert"))), adapter=copy)
