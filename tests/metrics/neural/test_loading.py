"""Weights that are loaded: each damage is one error that names the file."""

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import answersim
from answersim._base.errors import ChecksumError
from answersim._base.runtime.concurrency import forget_loaded
from answersim.metrics.checkpoints import weights
from answersim.metrics.checkpoints.search import find, sha256
from answersim.metrics.neural import architecture, loading
from answersim.metrics.neural.encoders import Request
from answersim.metrics.neural.transformer import PairTransformer, Transformer
from answersim.types import Pair
from tests.cases import cases_of, every
from tests.metrics.neural.conftest import config

PAIRS = [Pair("National Football League", "the NFL"), Pair("eleven", "11"), Pair("cortex", "Old John Merchant")]
WEIGHTS = "adapter_model.safetensors"

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
peft = pytest.importorskip("peft")
safetensors_torch = pytest.importorskip("safetensors.torch")


def states(model: Any, tokenizer: Any, text: str) -> list[np.ndarray[Any, Any]]:
    """The token states of every layer, by the library alone."""
    with torch.no_grad():
        hidden = model(**tokenizer(text, return_tensors="pt"), output_hidden_states=True).hidden_states
    return [entry[0].numpy() for entry in hidden]


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
    forget_loaded()
    if not engine:
        monkeypatch.setattr(loading, "architecture_of", lambda *_, **settings: None)
    result, _ = PairTransformer(checkpoint=find(base), adapter=folder).logits(PAIRS)
    np.testing.assert_allclose(result, expected, atol=1e-5, rtol=0)
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
    unpadded = loading.text_model(checkpoint.folder, encoder.fingerprint, folder, 1, "fp32", "cpu")
    assert len(unpadded.layers) == 1
    whole = merged_by_peft(base, folder)
    weight = "encoder.layer.0.attention.self.query.weight"
    torch.testing.assert_close(shallow.get_parameter(weight), whole.get_parameter(weight), atol=1e-6, rtol=0)
    query = unpadded.layers[0].attend.weight[:32]
    torch.testing.assert_close(query, whole.get_parameter(weight).detach(), atol=1e-6, rtol=0)


def refused(name: str, error: type[Exception], words: str, monkeypatch: pytest.MonkeyPatch, **options: object) -> None:
    """The metric is not even built, and nothing is loaded."""

    def load(*_: object) -> None:
        raise AssertionError("weights were loaded")

    for name_of_loader in ("text_model", "pair_model"):
        monkeypatch.setattr(loading, name_of_loader, load)
    with pytest.raises(error, match=words):
        answersim.metric(name, **options)


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


def reconfigure(folder: Path, settings: dict[str, Any]) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | settings))


def test_a_cross_encoder_without_a_head_is_refused_and_not_random(tiny, adapter, copied):
    folder = copied(tiny())
    reconfigure(folder, {"num_labels": 1, "id2label": {"0": "LABEL_0"}})
    with pytest.raises(ValueError, match=r"no classifier\.bias, classifier\.weight, so the scores would be random"):
        PairTransformer(checkpoint=find(folder)).logits([("a", "b")])
    with_head = PairTransformer(checkpoint=find(folder), adapter=adapter(pairs=True))
    assert np.isfinite(with_head.logits([("a", "b")])[0]).all()


def changed(folder: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Path:
    """The folder with other tensors."""
    file = folder / "model.safetensors"
    tensors = {name: tensor.clone() for name, tensor in safetensors_torch.load_file(file).items()}
    safetensors_torch.save_file(change(tensors), file, {"format": "pt"})
    return folder


INCOMPLETE = {
    "a prefix": (lambda result: {f"module.{name}": value for name, value in result.items()}, "more tensors"),
    "a layer": (
        lambda result: {name: value for name, value in result.items() if ".layer.1." not in name},
        r"lack (bert\.)?encoder\.layer\.1\.attention\.output\.LayerNorm\.bias, .* and 13 more tensors",
    ),
    "one tensor": (
        lambda result: {name: value for name, value in result.items() if "position_embeddings" not in name},
        r"lack (bert\.)?embeddings\.position_embeddings\.weight, so that the scores would be random",
    ),
    # an old safetensors calls an empty file damaged
    "everything": (lambda result: {}, "more tensors|cannot be read"),
}


@pytest.mark.parametrize(
    ("name", "what"),
    [*zip(("bi-encoder", "sas") * 2, INCOMPLETE, strict=True), ("sas", "a prefix"), ("sas", "one tensor")],
)
def test_weights_that_lack_a_tensor_are_refused_by_its_name_and_not_random(tiny, copied, name, what):
    change, words = INCOMPLETE[what]
    folder = changed(copied(tiny(classifier=name == "sas")), change)
    with pytest.raises(ValueError, match=words):
        answersim.metric(name, model=folder)(PAIRS)


@pytest.mark.parametrize("kind", ["bert", "electra", "roberta", "xlm-roberta", "mpnet"])
def test_what_no_metric_reads_may_be_missing_and_what_is_not_needed_may_be_there(tiny, copied, tmp_path, kind):
    expected = answersim.metric("bi-encoder", model=tiny(kind))(PAIRS)
    bare = changed(copied(tiny(kind)), lambda result: {n: value for n, value in result.items() if "pooler" not in n})
    assert answersim.metric("bi-encoder", model=bare)(PAIRS).tolist() == expected.tolist()
    for auto in (transformers.AutoModelForMaskedLM, transformers.AutoModelForSequenceClassification):
        folder = copied_to(tiny(kind), tmp_path / auto.__name__)
        with weights.quiet():
            auto.from_pretrained(tiny(kind)).save_pretrained(folder)
        assert answersim.metric("bi-encoder", model=folder)(PAIRS).tolist() == expected.tolist()


def copied_to(folder: Path, there: Path) -> Path:
    import shutil

    shutil.copytree(folder, there)
    return there


@pytest.mark.parametrize("encoder_only", [False, True])
def test_of_an_encoder_with_a_decoder_only_the_encoder_must_be_there(tiny, tmp_path, encoder_only):
    config = transformers.T5Config(vocab_size=500, d_model=16, d_kv=4, d_ff=32, num_layers=2, num_heads=4)
    torch.manual_seed(0)
    whole = transformers.T5Model(config)
    copied_to(tiny(), tmp_path / "t5")
    if encoder_only:
        encoder = transformers.T5EncoderModel(config)
        encoder.load_state_dict(whole.state_dict(), strict=False)
        encoder.config.is_encoder_decoder = True  # as folders say that were saved by earlier versions
        encoder.save_pretrained(tmp_path / "t5")
    else:
        whole.save_pretrained(tmp_path / "t5")
    result = Transformer(checkpoint=find(tmp_path / "t5")).encode([Request(["eleven"], 64, pooling="mean")])[0].pooled
    ids = transformers.AutoTokenizer.from_pretrained(tmp_path / "t5")("eleven", return_tensors="pt")["input_ids"]
    with torch.no_grad():
        expected = whole.get_encoder().eval()(input_ids=ids).last_hidden_state.mean(dim=1)
    np.testing.assert_allclose(result, expected, atol=1e-5, rtol=0)
    changed(
        tmp_path / "t5", lambda all_: {name: value for name, value in all_.items() if "encoder.block.1." not in name}
    )
    with pytest.raises(ValueError, match=r"lack encoder\.block\.1\."):
        Transformer(checkpoint=find(tmp_path / "t5")).encode([Request(["eleven"], 64, pooling="mean")])


@pytest.mark.parametrize("name", ["bi-encoder", "sas"])
def test_a_tensor_of_another_shape_is_refused_by_its_name(tiny, copied, name):
    def narrow(result: dict[str, Any]) -> dict[str, Any]:
        return {
            entry: tensor[:, :5].contiguous() if entry.endswith("layer.1.attention.self.query.weight") else tensor
            for entry, tensor in result.items()
        }

    folder = changed(copied(tiny(classifier=name == "sas")), narrow)
    with pytest.raises(ValueError, match=r"layer\.1\..*query\.weight has (the|another) shape .*copy the model"):
        answersim.metric(name, model=folder)(PAIRS)


def overwrite(file: Path, other: Path) -> None:
    """Put the bytes of another file of the same size into this one, in place and without a trace in its times."""
    import os

    before = file.stat()
    content = other.read_bytes()
    assert len(content) == before.st_size
    with file.open("r+b") as opened:
        opened.write(content)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("name", ["bi-encoder", "sas"])
def test_weights_that_are_replaced_before_the_first_call_are_refused(tiny, copied, name):
    pairs = name == "sas"
    folder = copied(tiny(classifier=pairs))
    metric = answersim.metric(name, model=folder)
    overwrite(folder / "model.safetensors", tiny(classifier=pairs, seed=1) / "model.safetensors")
    with pytest.raises(ChecksumError, match=r"was changed after this metric was made.*build the metric again"):
        metric(PAIRS)
    again = answersim.metric(name, model=folder)
    expected = answersim.metric(name, model=tiny(classifier=pairs, seed=1))
    assert (again.signature, again(PAIRS).tolist()) == (expected.signature, expected(PAIRS).tolist())


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json"])
def test_settings_that_are_replaced_before_the_first_call_are_refused(tiny, copied, file):
    folder = copied(tiny(seed=3))
    metric = answersim.metric("bi-encoder", model=folder)
    text = (folder / file).read_text()
    old, new = ('"gelu"', '"relu"') if file == "config.json" else ('"the"', '"thy"')
    assert old in text
    (folder / file).write_text(text.replace(old, new))
    with pytest.raises(ChecksumError, match="was changed after this metric was made"):
        metric(PAIRS)


def test_an_adapter_that_is_replaced_before_the_first_call_is_refused(tiny, adapter, copied):
    folder = copied(adapter())
    metric = answersim.metric("bi-encoder", model=tiny(), adapter=folder)
    overwrite(folder / WEIGHTS, adapter(seed=1) / WEIGHTS)
    with pytest.raises(ChecksumError, match="was changed after this metric was made"):
        metric(PAIRS)


def test_a_folder_with_a_model_and_an_adapter_is_refused(tiny, adapter, copied):
    folder = copied(tiny())
    for file in ("adapter_config.json", WEIGHTS):
        (folder / file).write_bytes((adapter() / file).read_bytes())
    with pytest.raises(ValueError, match="move the adapter into another folder and pass that folder with adapter="):
        answersim.metric("bi-encoder", model=folder)


def test_weights_of_another_kind_are_a_clear_error(tiny, copied):
    folder = copied(tiny())
    (folder / "model.safetensors").unlink()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch says that TorchScript is of the past
        torch.jit.trace(torch.nn.Linear(2, 2), torch.ones(1, 2)).save(folder / "pytorch_model.bin")
    with pytest.raises(ValueError, match=r"the weights in .* cannot be read \(pytorch_model\.bin: .*TorchScript"):
        answersim.metric("bi-encoder", model=folder)(PAIRS)


def test_a_pickle_runs_no_code(tiny, copied, tmp_path):
    import pickle

    class Hostile:
        def __reduce__(self) -> tuple[Any, ...]:
            return Path.touch, (tmp_path / "ran",)

    folder = copied(tiny())
    (folder / "model.safetensors").unlink()
    torch.save({"a": Hostile()}, folder / "pytorch_model.bin")
    with pytest.raises(ValueError, match="cannot be read"):
        answersim.metric("bi-encoder", model=folder)(PAIRS)
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Hostile()))
    with pytest.raises(ValueError, match="cannot be read"):
        answersim.metric("bi-encoder", model=folder)(PAIRS)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("settings", "words"), cases_of(__file__)["a_configuration_that_fits_no_weights_is_a_clear_error"]
)
def test_a_configuration_that_fits_no_weights_is_a_clear_error(tiny, copied, settings, words):
    folder = copied(tiny())
    reconfigure(folder, settings)
    for name in ("bi-encoder", "bertscore"):
        with pytest.raises(ValueError, match=words) as error:
            answersim.metric(name, model=folder)(PAIRS)
        assert str(folder) in str(error.value)


@pytest.mark.parametrize("settings", [{"hidden_act": {"a": 1}}, {"layer_norm_eps": "x"}])
def test_a_setting_that_fails_when_it_is_used_is_a_reported_error(tiny, copied, settings):
    folder = copied(tiny())
    reconfigure(folder, settings)
    with pytest.raises((ValueError, TypeError)):
        answersim.metric("bi-encoder", model=folder)(PAIRS)


@pytest.mark.parametrize(
    "tokenizer", ["[]", "{", "[" * 200_000, '{"version": "1.0", "model": {"type": "WordPiece", "vocab": 5}}']
)
def test_a_damaged_tokenizer_is_a_clear_error(tiny, copied, tokenizer):
    folder = copied(tiny())
    (folder / "tokenizer.json").write_text(tokenizer)
    with pytest.raises(ValueError, match=r"the model in .* cannot be built") as error:
        answersim.metric("bi-encoder", model=folder)(PAIRS)
    assert str(folder) in str(error.value)


@every("pairs", [False, True])
def test_names_that_could_mean_one_parameter_are_left_to_transformers(pairs):
    described = architecture.read(config("bert"), pairs=pairs)
    assert described is not None
    word = "embeddings.word_embeddings.weight"
    assert architecture.stored_names(described, [word, f"bert.{word}"]) is None
    norm = "bert.embeddings.LayerNorm."
    assert architecture.stored_names(described, [f"{norm}weight", f"{norm}gamma"]) is None
    if pairs:
        assert architecture.stored_names(described, [word, "classifier.bias"]) is None
