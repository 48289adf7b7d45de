"""The model of a training: a complete base, and an adapter to start from whose values are numbers."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
safetensors_torch = pytest.importorskip("safetensors.torch")

from answersim.metrics.checkpoints import adapter as adapters  # noqa: E402
from answersim.metrics.checkpoints.search import find  # noqa: E402 # needs torch
from answersim.training.bi_encoder import model as bi_encoder_model  # noqa: E402
from answersim.training.bi_encoder.recipe import BiEncoderRecipe  # noqa: E402
from answersim.training.cross_encoder import model as cross_encoder_model  # noqa: E402


def test_a_base_may_lack_what_is_trained_whole_and_nothing_else(
    tiny: Callable[..., Path], lacking: Callable[[Path, str], Path]
) -> None:
    cross_encoder_model.build(tiny())
    cross_encoder_model.build(lacking(tiny(), "pooler."))
    with pytest.raises(ValueError, match=r"lack bert\.encoder\.layer\.1\."):
        cross_encoder_model.build(lacking(tiny(), ".layer.1."))


def test_what_is_drawn_follows_from_the_random_state_alone(tiny: Callable[..., Path]) -> None:
    made = []
    for _ in range(2):
        torch.manual_seed(7)
        made.append(cross_encoder_model.build(tiny()).classifier.weight)
    assert torch.equal(*made)


def test_a_student_of_an_incomplete_base_is_refused(
    tiny: Callable[..., Path], lacking: Callable[[Path, str], Path]
) -> None:
    pytest.importorskip("sentence_transformers")
    recipe = BiEncoderRecipe(method="full")
    bi_encoder_model.build(find(tiny()), recipe)
    with pytest.raises(ValueError, match=r"lack encoder\.layer\.1\."):
        bi_encoder_model.build(find(lacking(tiny(), ".layer.1.")), recipe)


def test_an_adapter_that_holds_what_is_no_number_is_not_started_from(tiny: Callable[..., Path], tmp_path: Path) -> None:
    pytest.importorskip("peft")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # peft asks transformers 5 for a property by its former name
        model = cross_encoder_model.adapt(cross_encoder_model.build(tiny()), 2, 4.0, 0.0)
        model.save_pretrained(str(tmp_path))
    cross_encoder_model.start_from(model, tmp_path)
    tensors = safetensors_torch.load_file(tmp_path / adapters.WEIGHTS)
    first = sorted(tensors)[0]
    changed = {name: tensor.clone() for name, tensor in tensors.items()}
    changed[first].view(-1)[0] = float("nan")
    safetensors_torch.save_file(changed, tmp_path / adapters.WEIGHTS)
    with pytest.raises(ValueError, match="contains values that are not finite; restore the file, or train the adapter"):
        cross_encoder_model.start_from(model, tmp_path)


@pytest.mark.parametrize(("kind", "types"), [("bert", True), ("mpnet", False)])
def test_padding_changes_no_prediction(tiny: Callable[..., Path], kind: str, types: bool) -> None:
    base = find(tiny(kind))
    model = cross_encoder_model.build(base.folder)
    pairs = [("a man", "a dog runs"), ("a", "b"), ("the red dog sleeps in the big house", "a cat")]
    tokens = cross_encoder_model.tokenize(base, pairs, 32)
    assert ("token_type_ids" in cross_encoder_model.padded(tokens)) == types
    together = cross_encoder_model.predict(model, tokens)
    alone = [float(cross_encoder_model.predict(model, [tokens[i]])[0]) for i in range(3)]
    assert together.tolist() == pytest.approx(alone, abs=1e-6)
    assert len(set(alone)) == 3


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
def test_lora_is_in_every_linear_layer_of_a_block(tiny: Callable[..., Path], kind: str) -> None:
    pytest.importorskip("peft")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # peft asks transformers 5 for a property by its former name
        model = cross_encoder_model.adapt(cross_encoder_model.build(tiny(kind)), 2, 4.0, 0.0)
    adapted = {name.partition(".lora_A")[0] for name, _ in model.named_parameters() if ".lora_A" in name}
    blocks = "base_model.model." + {"bert": "bert.encoder.layer.", "mpnet": "mpnet.encoder.layer."}[kind]
    linear = {
        name.removesuffix(".base_layer")
        for name, module in model.named_modules()
        if isinstance(module, torch.nn.Linear) and name.startswith(blocks) and "lora_" not in name
    }
    assert adapted == linear
    assert len(adapted) == model.config.num_hidden_layers * 6
    whole = {name for name, parameter in model.named_parameters() if parameter.requires_grad and "lora_" not in name}
    assert whole
    assert all("modules_to_save" in name for name in whole)


def test_a_base_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="the base 'x' is of the kind 'roberta', but it must be one of bert, mpnet"):
        cross_encoder_model.check_supported({"model_type": "roberta"}, "x")
