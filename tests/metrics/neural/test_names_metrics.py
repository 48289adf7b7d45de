"""The metrics trained on names: our adapter in one profile, the paper's unpublished weights in the other."""

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import answersim
from answersim._base.errors import CheckpointNotFoundError
from answersim.metrics.checkpoints import profiles
from answersim.metrics.checkpoints.profiles import NAMES_PAPER, Weights
from answersim.types import Pair
from tests.cases import every

pytest.importorskip("torch")
pytest.importorskip("peft")

NAMES = ("bi-encoder-names", "bertscore-names")
PAIRS = [Pair("Old John Feather Merchant", "John Merchant"), Pair("Müller", "cortex"), Pair("a", "a")]


@pytest.fixture
def shipped(tiny: Callable[..., Path], adapter: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation with a tiny adapter behind the two."""
    for name, layer in zip(NAMES, (None, 3), strict=True):
        weights = {"*": Weights(str(tiny()), layer=layer, adapter=adapter())}
        monkeypatch.setitem(profiles.WEIGHTS[name], "embedded", weights)
    return adapter()


def test_the_two_are_the_last_rows_of_the_papers_table():
    assert all(name in answersim.evaluation.data.datasets.RECORDED for name in NAMES)


def test_embedded_is_the_plain_metric_with_the_adapter(shipped, tiny):
    for name, plain in zip(NAMES, ("bi-encoder", "bertscore-trained"), strict=True):
        ours = answersim.metric(name)
        same = answersim.metric(plain, model=tiny(), adapter=shipped)
        assert ours.signature == same.signature
        assert ours(PAIRS).tolist() == same(PAIRS).tolist()
        assert np.abs(ours(PAIRS) - answersim.metric(plain, model=tiny())(PAIRS)).max() > 1e-3
        assert ours([Pair("a", "a")])[0] == pytest.approx(1.0, abs=1e-6)


def test_both_come_from_one_pass(shipped, monkeypatch):
    first, second = (answersim.metric(name).encoder for name in NAMES)  # type: ignore[attr-defined]
    assert first == second


@every("name", NAMES)
def test_the_metrics_use_the_shipped_weights(name):
    behind = profiles.weights(name)
    assert (behind.model, behind.adapter) == (profiles.MINILM, profiles.NAMES_ADAPTER)


@pytest.mark.parametrize("name", NAMES)
def test_an_installation_without_the_adapter_is_an_error(name, tmp_path, monkeypatch):
    gone = Weights(profiles.MINILM, layer=6, adapter=tmp_path / "names-minilm")
    monkeypatch.setitem(profiles.WEIGHTS[name], "embedded", {"*": gone})
    with pytest.raises(
        FileNotFoundError, match=r"this installation has no folder .*names-minilm: .*adapter=, or .*model="
    ):
        answersim.metric(name)


@pytest.mark.parametrize(("name", "lang"), [*zip(NAMES, ("en", "de"), strict=True)])
def test_the_papers_weights_were_never_published(name, lang, monkeypatch):
    words = r"never published on a hub\. Tried: \$ANSWERSIM_MODELS \(not set\)\. To fix this: .*model=.*'embedded'"
    with pytest.raises(CheckpointNotFoundError, match=words):
        answersim.metric(name, profile="paper", lang=lang)
    monkeypatch.setenv("ANSWERSIM_MODELS", "/nowhere")
    with pytest.raises(
        CheckpointNotFoundError, match=rf"\$ANSWERSIM_MODELS \(/nowhere/{NAMES_PAPER}: no weights there"
    ):
        answersim.metric(name, profile="paper", lang=lang)


def test_a_copy_of_the_papers_weights_is_found_in_the_models_folder(tiny, tmp_path, monkeypatch):
    shutil.copytree(tiny("xlm-roberta"), tmp_path / NAMES_PAPER)
    monkeypatch.setenv("ANSWERSIM_MODELS", str(tmp_path))
    for lang in ("en", "de"):
        metric = answersim.metric("bi-encoder-names", profile="paper", lang=lang)
        assert metric == answersim.metric("bi-encoder", model=tiny("xlm-roberta"))
    with pytest.raises(ValueError, match=f"layer is 12, but {NAMES_PAPER}"):  # the small one has 3
        answersim.metric("bertscore-names", profile="paper")


def test_a_model_of_ones_own_comes_without_the_adapter(tiny):
    assert answersim.metric("bi-encoder-names", model=tiny()) == answersim.metric("bi-encoder", model=tiny())


def test_an_adapter_of_ones_own_takes_the_place_of_the_shipped_one(shipped, tiny, adapter):
    other = adapter(seed=1)
    metric = answersim.metric("bertscore-names", adapter=other)
    assert metric == answersim.metric("bertscore-trained", model=tiny(), layer=3, adapter=other)
    assert metric != answersim.metric("bertscore-names")
