"""Small random adapters for the tiny models, written by peft and by sentence-transformers."""

import json
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def adapter(tiny: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """``adapter("bert")`` is a folder with a random adapter for ``tiny("bert")``, below a folder of its own.

    ``pairs``: for a cross-encoder, with a head of its own. ``reads_question``: what its recipe.json says, if anything.
    ``by``: "peft", or "sentence-transformers" (its ``add_adapter``), or "around" (peft around a SentenceTransformer).
    """
    by_name: dict[tuple[Any, ...], Path] = {}

    def make(
        kind: str = "bert",
        *,
        pairs: bool = False,
        seed: int = 0,
        reads_question: bool | None = None,
        by: str = "peft",
        name: str = "trained",
    ) -> Path:
        key = (kind, pairs, seed, reads_question, by, name)
        if key not in by_name:
            folder = tmp_path_factory.mktemp("adapters") / name
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # peft asks transformers 5 for a property by its former name
                _make(folder, tiny(kind), pairs, seed, by)
            if reads_question is not None:
                _recipe(folder, reads_question)
            by_name[key] = folder
        return by_name[key]

    return make


def _make(folder: Path, base: Path, pairs: bool, seed: int, by: str) -> None:
    import peft
    import torch
    import transformers

    task = "SEQ_CLS" if pairs else "FEATURE_EXTRACTION"
    saved = ["classifier", "pooler", "token_type_embeddings"] if pairs else None
    kind_of_model = json.loads((base / "config.json").read_text())["model_type"]
    if pairs and ("roberta" in kind_of_model or kind_of_model == "mpnet"):
        saved = ["classifier"]
    targets = ["q", "attn.v", "attention.attn.o"] if kind_of_model == "mpnet" else ["query", "value"]
    targets.append("output.dense")
    settings = peft.LoraConfig(task_type=task, r=2, lora_alpha=3, target_modules=targets, modules_to_save=saved)
    torch.manual_seed(seed)
    if by == "peft":
        kind = transformers.AutoModelForSequenceClassification if pairs else transformers.AutoModel
        model = peft.get_peft_model(kind.from_pretrained(base, **({"num_labels": 1} if pairs else {})), settings)
    else:
        from sentence_transformers import SentenceTransformer

        model = SentenceTransformer(str(base), device="cpu")
        if by == "around":
            settings.task_type = None
            model = peft.get_peft_model(model, settings)
        else:
            model.add_adapter(settings)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "lora_" in name or "modules_to_save" in name:
                parameter.normal_(0, 0.3)
    model.save_pretrained(str(folder))


def _recipe(folder: Path, reads_question: bool) -> None:
    from answersim.metrics.checkpoints.search import sha256

    pinned = {name: sha256(folder / name) for name in ("adapter_config.json", "adapter_model.safetensors")}
    (folder / "recipe.json").write_text(json.dumps({"reads_question": reads_question, "sha256": pinned}))


@pytest.fixture
def copied(tmp_path: Path) -> Callable[[Path], Path]:
    """A copy of a folder, which a test may change."""

    def copy(folder: Path) -> Path:
        there = tmp_path / "copied" / folder.name
        shutil.copytree(folder, there)
        return there

    return copy


SMALL = {
    "vocab_size": 40,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": 20,
    "type_vocab_size": 3,
    "pad_token_id": 1,
}


def config(kind: str, **settings: Any) -> dict[str, Any]:
    """The configuration of a small model."""
    import transformers

    built: dict[str, Any] = transformers.AutoConfig.for_model(kind, **(SMALL | settings)).to_dict()
    return built
