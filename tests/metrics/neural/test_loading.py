"""Adapters on a base: the merged model is the one of peft, and what does not fit is refused."""

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim._base.errors import ChecksumError
from answersim.metrics.checkpoints.search import find, sha256
from answersim.metrics.neural import loading
from answersim.metrics.neural.encoders import Request
from answersim.metrics.neural.transformer import PairTransformer, Transformer
from tests.metrics.neural.loaded_models import PAIRS, WEIGHTS

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
peft = pytest.importorskip("peft")
safetensors_torch = pytest.importorskip("safetensors.torch")


def states(model: Any, tokenizer: Any, text: str) -> list[np.ndarray[Any, Any]]:
    """The token states of every layer, by the library alone."""
    with torch.no_grad():
        hidden = model(**tokenizer(text, return_tensors="pt"), output_hidden_states=True).hidden_states
    return [each[0].numpy() for each in hidden]


def ours(base: Path, adapter: Path | None, text: str, layer: int) -> np.ndarray[Any, Any]:
    encoding = Transformer(checkpoint=find(base), adapter=adapter).encode([Request([text], 64, layer=layer)])[0]
    assert encoding.states is not None
    return encoding.states[int(encoding.length[0])][0].numpy()


def merged_by_peft(base: Path, adapter: Path) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = transformers.AutoModel.from_pretrained(base)
        return peft.PeftModel.from_pretrained(plain, adapter).merge_and_unload().eval()


@pytest.mark.parametrize("kind", ["bert", "electra", "roberta", "xlm-roberta", "mpnet"])
def test_every_layer_is_the_one_of_the_model_that_peft_merges(tiny, adapter, kind):
    base, folder = tiny(kind), adapter(kind)
    expected = states(
        merged_by_peft(base, folder), transformers.AutoTokenizer.from_pretrained(base), "eleven regions of cortex"
    )
    for layer in range(4):
        result = ours(base, folder, "eleven regions of cortex", layer)
        np.testing.assert_allclose(result, expected[layer], atol=1e-5, rtol=0)
    assert np.abs(expected[1] - ours(base, None, "eleven regions of cortex", 1)).max() > 0.01


@pytest.mark.parametrize(
    ("kind", "engine"), [("bert", True), ("electra", False), ("roberta", True), ("mpnet", False), ("bert", False)]
)
def test_a_cross_encoder_with_an_adapter_is_the_one_that_peft_merges(tiny, adapter, kind, engine, monkeypatch):
    base, folder = tiny(kind), adapter(kind, pairs=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = transformers.AutoModelForSequenceClassification.from_pretrained(base, num_labels=1)
        merged = peft.PeftModel.from_pretrained(plain, folder).merge_and_unload().eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(base)
    with torch.no_grad():
        expected = [float(merged(**tokenizer(*pair, return_tensors="pt")).logits[0, 0]) for pair in PAIRS]
    loading.unpadded_classifier.cache_clear()  # type: ignore[attr-defined]
    if not engine:
        monkeypatch.setattr(loading, "unpadded_classifier", lambda *_: None)
    found, _ = PairTransformer(checkpoint=find(base), adapter=folder).logits(PAIRS)
    np.testing.assert_allclose(found, expected, atol=1e-5, rtol=0)
    assert np.std(expected) > 1e-3


@pytest.mark.parametrize("by", ["sentence-transformers", "around"])
def test_an_adapter_trained_in_sentence_transformers_gives_its_vectors(tiny, adapter, by):
    from sentence_transformers import SentenceTransformer

    base, folder = tiny(), adapter(by=by)
    encoder = Transformer(checkpoint=find(base), adapter=folder)
    result = encoder.encode([Request(["eleven regions", "the NFL"], 64, pooling="mean")])[0].pooled
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = SentenceTransformer(str(base), device="cpu")
        if by == "around":
            model = peft.PeftModel.from_pretrained(model, folder).merge_and_unload()
        else:
            model.load_adapter(str(folder))
        expected = model.eval().encode(["eleven regions", "the NFL"])
    np.testing.assert_allclose(result, expected, atol=1e-5, rtol=0)
    plain = Transformer(checkpoint=find(base)).encode([Request(["eleven regions"], 64, pooling="mean")])[0].pooled
    assert np.abs(plain - expected[:1]).max() > 0.01


def test_a_shallow_model_leaves_out_what_the_adapter_holds_for_the_layers_above(tiny, adapter):
    base, folder = tiny(), adapter()
    checkpoint, encoder = find(base), Transformer(checkpoint=find(base), adapter=folder)
    shallow = loading.encoder(checkpoint.folder, encoder.fingerprint, folder, 1, "fp32", "cpu")
    assert len(shallow.encoder.layer) == 2  # of 3: see ``loading.encoder``
    unpadded = loading.unpadded_encoder(checkpoint.folder, encoder.fingerprint, folder, 1, "fp32", "cpu")
    assert unpadded is not None
    assert len(unpadded.layers) == 1
    whole = merged_by_peft(base, folder)
    weight = "encoder.layer.0.attention.self.query.weight"
    torch.testing.assert_close(shallow.get_parameter(weight), whole.get_parameter(weight), atol=1e-6, rtol=0)
    query = unpadded.layers[0].attend.weight[:32]
    torch.testing.assert_close(query, whole.get_parameter(weight).detach(), atol=1e-6, rtol=0)


def test_models_with_different_adapters_are_kept_apart(tiny, adapter):
    choices: list[Path | None] = [None, adapter(seed=0), adapter(seed=1)]
    numbers = [answersim.metric("bi-encoder", model=tiny(), adapter=choice)(PAIRS) for choice in choices]
    for one, other in ((0, 1), (0, 2), (1, 2)):
        assert np.abs(numbers[one] - numbers[other]).max() > 1e-3
    for each, before in zip(choices, numbers, strict=True):  # now that all are in memory
        assert answersim.metric("bi-encoder", model=tiny(), adapter=each)(PAIRS).tolist() == before.tolist()


@pytest.mark.parametrize("name", ["bi-encoder", "bertscore-vanilla", "bertscore-trained", "sas"])
def test_the_adapter_is_signed_by_its_weights(tiny, adapter, copied, name):
    pairs = name == "sas"
    layer = {"layer": 2} if name == "bertscore-vanilla" else {}
    plain = tiny(classifier=True) if pairs else tiny()
    without = answersim.metric(name, model=plain, **layer)
    first = adapter(pairs=pairs)
    metric = answersim.metric(name, model=tiny(), adapter=first, **layer)
    same = answersim.metric(name, model=tiny(), adapter=str(copied(first)), **layer)
    other = answersim.metric(name, model=tiny(), adapter=adapter(pairs=pairs, seed=1), **layer)
    assert (metric, metric.signature) == (same, same.signature)
    assert len({without.signature, metric.signature, other.signature}) == 3
    assert "+trained@" in metric.signature
    assert metric(PAIRS).tolist() == same(PAIRS).tolist()


def test_a_relative_folder_signs_with_its_name(tiny, adapter, monkeypatch):
    expected = answersim.metric("bi-encoder", model=tiny(), adapter=adapter()).signature
    monkeypatch.chdir(adapter())
    assert answersim.metric("bi-encoder", model=tiny(), adapter=".").signature == expected


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_an_adapter_is_added_in_full_precision_and_then_cast(tiny, adapter, precision):
    full = answersim.metric("bi-encoder", model=tiny(), adapter=adapter())(PAIRS)
    half = answersim.metric("bi-encoder", model=tiny(), adapter=adapter(), device=precision)(PAIRS)
    assert 0 < np.abs(full - half).max() < 0.05


def refused(name: str, error: type[Exception], words: str, monkeypatch: pytest.MonkeyPatch, **options: object) -> None:
    """The metric is not even built, and nothing is loaded."""

    def load(*_: object) -> None:
        raise AssertionError("weights were loaded")

    for name_of_loader in ("encoder", "classifier", "unpadded_encoder", "unpadded_classifier"):
        monkeypatch.setattr(loading, name_of_loader, load)
    with pytest.raises(error, match=words):
        answersim.metric(name, **options)


def test_a_folder_without_an_adapter_is_refused(tiny, tmp_path, monkeypatch):
    options = {"model": tiny(), "adapter": tmp_path / "nowhere"}
    refused("bi-encoder", FileNotFoundError, r"no adapter folder at .*nowhere", monkeypatch, **options)
    (tmp_path / "nowhere").mkdir()
    refused("sas", FileNotFoundError, r"nowhere has no adapter_config\.json", monkeypatch, **options)


def test_an_adapter_of_another_architecture_size_or_kind_is_refused(tiny, adapter, monkeypatch):
    of_pairs, roberta = adapter(pairs=True), tiny("roberta", classifier=True)
    for name, words, options in (
        ("bi-encoder", r"\(2, 32\), but \(2, 384\) fits", {"adapter": adapter()}),  # a tiny one on MiniLM
        ("sas", r"no parameter bert\.embeddings\.token_type", {"model": roberta, "adapter": of_pairs}),
        ("bi-encoder", "reads pairs .*can be used with 'sas' only", {"model": tiny(), "adapter": of_pairs}),
        ("sas", "no linear layer of BertForSeq", {"model": tiny(classifier=True), "adapter": adapter()}),
        ("bi-encoder", "is an adapter, not a model; give it with adapter=", {"model": adapter()}),
    ):
        refused(name, ValueError, words, monkeypatch, **options)


def test_a_tensor_of_a_missing_layer_is_refused_by_a_shallow_metric(tiny, adapter, copied, monkeypatch):
    folder = copied(adapter())
    tensors = safetensors_torch.load_file(folder / WEIGHTS)
    above = {
        name.replace("layer.2.", "layer.3."): tensor.clone() for name, tensor in tensors.items() if "layer.2." in name
    }
    safetensors_torch.save_file(tensors | above, folder / WEIGHTS)
    words, options = r"encoder\.layer\.3\..* belongs to no linear layer of BertModel", {"layer": 1, "adapter": folder}
    refused("bertscore-vanilla", ValueError, words, monkeypatch, model=tiny(), **options)


def test_a_base_of_other_bytes_than_the_recipe_names_is_refused(tiny, adapter, copied, monkeypatch):
    folder = copied(adapter())
    pinned = {WEIGHTS: sha256(folder / WEIGHTS)}
    base = {"name": "tiny", "sha256": sha256(tiny() / "model.safetensors")}
    (folder / "recipe.json").write_text(json.dumps({"base": base, "sha256": pinned}))
    answersim.metric("bi-encoder", model=tiny(), adapter=folder)
    refused(
        "bi-encoder", ValueError, "with the SHA-256 " + base["sha256"], monkeypatch, model=tiny(seed=1), adapter=folder
    )


def test_a_base_of_another_name_is_refused_where_both_names_are_known(tiny, adapter, copied, monkeypatch, tmp_path):
    import shutil

    shutil.copytree(tiny(), tmp_path / "models" / "someone" / "tiny-bert")
    monkeypatch.setenv("ANSWERSIM_MODELS", str(tmp_path / "models"))
    folder = copied(adapter())
    config = json.loads((folder / "adapter_config.json").read_text())
    for stated in ("someone/tiny-bert", "tiny-bert@main", str(tmp_path / "gone"), "", None):
        (folder / "adapter_config.json").write_text(json.dumps(config | {"base_model_name_or_path": stated}))
        answersim.metric("bi-encoder", model="someone/tiny-bert", adapter=folder)
    (folder / "adapter_config.json").write_text(json.dumps(config | {"base_model_name_or_path": "someone/other-bert"}))
    words = "trained on someone/other-bert, but the weights are tiny-bert"
    refused("bi-encoder", ValueError, words, monkeypatch, model="someone/tiny-bert", adapter=folder)


def test_an_adapter_that_was_changed_after_its_recipe_is_refused(tiny, adapter, copied, monkeypatch):
    folder = copied(adapter())
    answersim.metric("bi-encoder", model=tiny(), adapter=folder)
    (folder / "recipe.json").write_text(json.dumps({"sha256": {WEIGHTS: "0" * 64}}))
    refused("bi-encoder", ChecksumError, "recipe.json beside it pins 0000", monkeypatch, model=tiny(), adapter=folder)
