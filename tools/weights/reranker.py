"""Train the reranker that ships: adapt the last layers of MiniLM to cosine plus MaxSim, and write a LoRA adapter.

    python -m tools.weights.reranker --output runs/reranker      # resumes if it was stopped

It needs ``$ANSWERSIM_DATA`` (see ``reranker_pools``) and the extra ``train``. ``runs/reranker/adapter`` is what
``answersim/metrics/neural/adapters/rerank-minilm`` is a copy of, besides its card.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import rankers
from answersim._base.runtime.cli_errors import user_errors
from answersim.metrics.checkpoints import adapter, search
from answersim.metrics.checkpoints.search import find
from answersim.training.run import artifact, output
from benchmarks.options import run_program
from rankers.data.leaks import count_shared
from rankers.models.baselines import AnswerOnly
from rankers.models.neural_ranker import NeuralRanker
from rankers.systems.fit import fit, seconds
from rankers.types import Questions
from tools.weights import reranker_pools
from tools.weights.pairs.mixture import default_data
from tools.weights.reranker_pools import Pools

SYSTEM = "hybrid"
BASE = "sentence-transformers/all-MiniLM-L6-v2"
OWN, NEAR, FAR = 11, 6, 12
STRENGTH = 0.5  # what the trained matrices are multiplied by
RECIPE: dict[str, Any] = {"negatives": 20, "epochs": 3, "precision": "bfloat16"}
HELD = (
    ("wikiqa", "test"),
    ("trecqa", "test"),
    ("selqa", "test"),
    ("antique", "test"),
    ("insuranceqa-mini", "test1"),
    ("fiqa-disjoint", "test"),
    ("yahoocqa-disjoint", "test"),
    ("trecdl19", "test"),
)
_PARAMETER = re.compile(r"encoder\.above\.(\d+)\.(.+)\.([ab])$")  # of rankers.modules.frozen_encoder


def main(
    folder: Annotated[Path, typer.Option("--output", help="The folder of the training and of the adapter.")],
    seed: Annotated[int, typer.Option(min=0, help="Of all draws.")] = 0,
    smoke: Annotated[bool, typer.Option("--smoke", help="One epoch of few candidates, to test that it runs.")] = False,
) -> None:
    """Train the reranker and write its adapter."""
    with user_errors():
        output.check(folder, "adapter", {})
        data = default_data()
        own, near, far = (2, 1, 1) if smoke else (OWN, NEAR, FAR)
        pools = reranker_pools.pools(data, own=own, near=near, far=far, seed=seed)
        artifact.log(f"{len(pools.train):,} questions")
        ranker = fit(
            SYSTEM,
            pools.train,
            pools.dev,
            folder=folder / "training",
            seed=seed,
            overrides={**RECIPE, **({"epochs": 1} if smoke else {})},
            log=artifact.log,
            device="cpu",
        )
        assert isinstance(ranker, NeuralRanker)  # what a system that ranks by its model is
        with output.replacing(folder / "adapter") as fresh:
            write(ranker, fresh)
            artifact.write_recipe(
                metadata(ranker, pools, seed) | {"seconds": round(seconds(folder / "training", SYSTEM))},
                fresh,
                (adapter.CONFIG, adapter.WEIGHTS),
                artifact.LIBRARIES,
            )
        artifact.log(f"written: {folder / 'adapter'}")


def write(ranker: NeuralRanker, folder: Path, strength: float = STRENGTH) -> None:
    """Write the matrices of a trained ``hybrid`` as an adapter in the format of peft, in half precision.

    Raise ValueError if a number is not finite in half precision.
    """
    from peft import LoraConfig, TaskType

    settings = ranker.settings
    layers = int(find(settings.checkpoint).config["num_hidden_layers"])
    lowest = layers - settings.unfrozen_layers
    tensors, targets = {}, set()
    for name, parameter in ranker.network.named_parameters():
        place, module, matrix = _PARAMETER.match(name).groups()  # type: ignore[union-attr] # all are of LowRank
        targets.add(module)
        layer = f"encoder.layer.{lowest + int(place)}.{module}"
        tensors[f"base_model.model.{layer}.lora_{matrix.upper()}.weight"] = parameter
    config = LoraConfig(
        task_type=TaskType.FEATURE_EXTRACTION,
        r=settings.lora_r,
        lora_alpha=settings.lora_r * strength,
        target_modules=sorted(targets),
        layers_to_transform=list(range(lowest, layers)),
    )
    artifact.write_adapter(config, tensors, BASE, folder)


def metadata(ranker: NeuralRanker, pools: Pools, seed: int) -> dict[str, Any]:
    """Return what recipe.json contains besides machine, versions and digests."""
    base = find(BASE)
    return {
        "command": "python -m tools.weights.reranker" + (f" --seed {seed}" if seed else ""),
        "base": {
            "name": BASE,
            "fingerprint": base.fingerprint,
            "sha256": search.sha256(base.folder / "model.safetensors"),
        },
        "files": pools.files,
        "questions": {"train": len(pools.train), "dev": len(pools.dev)},
        "strength": STRENGTH,
        "pools": {"own": OWN, "near": NEAR, "far": FAR, "fingerprint": pools.train.fingerprint},
        "without the question": without_question(pools.train),
        "also in": {
            f"{name} {split}": count_shared(pools.train, rankers.data.load(name, split)) for name, split in HELD
        },
        "provenance": dict(ranker.provenance),
    }


def without_question(questions: Questions) -> dict[str, float]:
    """Return P@1 of a scorer that learned from one half of the pools without reading questions, and P@1 of chance.

    Both are on the other half.
    """
    from dataclasses import replace

    order = np.random.default_rng(0).permutation(len(questions))
    halves = [replace(questions, items=tuple(questions.items[i] for i in order[start::2])) for start in (0, 1)]
    run = rankers.run(AnswerOnly.fit(halves[0]), halves[1], "answer-only")
    chance = float(np.mean([1 / len(question.candidates) for question in halves[1]]))
    return {"P@1": rankers.evaluate(run, halves[1], measures=("P@1",)).mean("P@1"), "chance": chance}


if __name__ == "__main__":
    run_program(main)
