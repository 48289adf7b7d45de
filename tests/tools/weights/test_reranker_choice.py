"""The choice of the shipped reranker's strength and weight of MaxSim, on splits that are no test splits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("peft")

import rankers
from answersim.metrics.neural import adapter as adapters
from rankers.models.minilm import MiniLmHybrid
from tests.tools.weights.trained_hybrid import trained_hybrid
from tools.weights import reranker, reranker_choice
from tools.weights.reranker_choice import COSINE, Setting


@pytest.fixture
def adapter(tiny: Callable[..., Path], tmp_path: Path) -> Path:
    """An adapter whose matrices are not zero."""
    (tmp_path / "whole").mkdir()
    reranker.write(trained_hybrid(tiny("bert"), 1, 2), tmp_path / "whole")
    return tmp_path / "whole"


def test_a_scaled_adapter_adds_that_share_of_the_weights(adapter: Path, tmp_path: Path) -> None:
    (tmp_path / "half").mkdir()
    whole = adapters.read_settings(adapter)
    half = adapters.read_settings(reranker_choice.scaled(adapter, 0.5, tmp_path / "half"))
    assert half.scale == whole.scale / 2
    assert adapters.fingerprint(tmp_path / "half") != adapters.fingerprint(adapter)  # kept scores do not mix


@pytest.mark.filterwarnings("ignore::answersim._base.errors.TruncationWarning")  # the tiny encoder reads 40 word pieces
def test_values_are_those_of_the_rankers(
    adapter: Path, tiny: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(tiny("bert"))
    monkeypatch.setattr(reranker_choice, "MiniLmHybrid", lambda **options: MiniLmHybrid(folder, **options))
    monkeypatch.setattr(reranker_choice, "STRENGTHS", (0.0, 1.0))
    monkeypatch.setattr(reranker_choice, "WEIGHTS", (0.0, 1.5))
    questions = rankers.data.load("toy", "dev")
    found = reranker_choice.values(questions, adapter)
    assert list(found) == reranker_choice.settings()
    for setting, ranker in {
        COSINE: MiniLmHybrid(folder, late=0.0),
        Setting(1.0, 1.5): MiniLmHybrid(folder, late=1.5, adapter=adapter),
    }.items():
        run = rankers.run(ranker, questions, "expected")
        expected = rankers.evaluate(run, questions, measures=("MRR",)).values["MRR"]
        np.testing.assert_array_equal(found[setting], expected)
    assert (found[COSINE] != found[Setting(1.0, 1.5)]).any()


def test_no_test_split_is_chosen_on() -> None:
    assert {split for splits in reranker_choice.SETS.values() for split in splits} == {"dev", "train"}
    assert "selqa" not in reranker_choice.SETS  # its dev split trained the adapter
