"""Train the reranker that ships: adapt the last layers of MiniLM to cosine plus MaxSim, and write a LoRA adapter.

    python -m tools.weights.reranker --output runs/reranker      # resumes if it was stopped

It needs ``$ANSWERSIM_DATA`` and the extra ``train``. ``runs/reranker/adapter`` is what
``answersim/metrics/neural/adapters/rerank-minilm`` is a copy of, besides its card.

It learns from questions of SelQA, which is under a license that allows it, with one positive each, and three kinds of
negatives. Seven of eight questions of the dev split of SelQA train, and the others are dev.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from numpy.typing import NDArray

import rankers
from answersim._base.runtime.cli_errors import user_errors
from answersim.metrics.checkpoints import adapter
from answersim.metrics.checkpoints.search import find, sha256
from answersim.training.run import artifact, output
from benchmarks.options import run_program
from rankers.data.catalog import trainable
from rankers.data.leaks import count_shared, negatives, normalize
from rankers.data.pools import Answer, Group, shelve
from rankers.models.baselines import AnswerOnly
from rankers.models.neural_ranker import NeuralRanker
from rankers.systems.fit import fit, seconds
from rankers.types import Questions
from tools.weights.pairs.mixture import default_data

SYSTEM = "hybrid"
BASE = "sentence-transformers/all-MiniLM-L6-v2"
SELQA, NAME = "ranking/selqa/dev.tsv", "reranker-training"
OWN, NEAR, FAR = 11, 6, 12  # negatives of a question by kind, see ``pools``
STRENGTH = 0.5  # what the trained matrices are multiplied by
RECIPE: dict[str, Any] = {"negatives": 20, "epochs": 3, "precision": "bfloat16"}
HELD = "wikiqa trecqa selqa antique insuranceqa-mini fiqa-disjoint yahoocqa-disjoint trecdl19".split()
_PARAMETER = re.compile(r"encoder\.above\.(\d+)\.(.+)\.([ab])$")  # of rankers.modules.frozen_encoder


class Pools(NamedTuple):
    """The training pools, and the dev pools that select the epoch."""

    train: Questions  # questions with one positive each
    dev: Questions  # the other questions of SelQA, as they are
    files: dict[str, str]  # the SHA-256 of the files that were read, by name


class Example(NamedTuple):
    """A question with its positive."""

    question: str  # its text
    positive: str  # a text that answers it
    own: Sequence[str]  # texts beside the positive that do not answer it


def pools(data: Path, *, own: int, near: int, far: int, seed: int = 0) -> Pools:
    """Return the training pools.

    The negatives of a question are up to ``own`` sentences of the section that its positive is from, and positives of
    other questions: ``near`` of the fifth that shares most words with it, and ``far`` of all. Each positive is drawn
    equally often. No positive is a positive or a question before it. Raise FileNotFoundError if a file is missing.
    """
    learned, dev = trainable("selqa", home=data)
    examples: dict[str, Example] = {}
    for example in _examples(learned, own, np.random.default_rng(seed)):
        if normalize(example.question) not in examples:
            examples.setdefault(normalize(example.positive), example)
    groups = list(_groups(list(examples.values()), near, far, seed))
    train = Questions(NAME, "train", shelve(groups, NAME, "train", seed))
    return Pools(train, dev, {SELQA: sha256(data / SELQA)})


def _examples(questions: Questions, own: int, rng: np.random.Generator) -> Iterator[Example]:
    for question in questions:
        right = [c.text for c in question.candidates if questions.is_relevant(c)]
        other = [c.text for c in question.candidates if not questions.is_relevant(c)]
        if right:
            yield Example(question.text, right[0], [other[i] for i in rng.permutation(len(other))[:own]])


def _groups(examples: Sequence[Example], near: int, far: int, seed: int) -> Iterator[Group]:
    drawn = negatives([e.question for e in examples], [e.positive for e in examples], min(near, len(examples) - 1))
    drawn = np.concatenate([drawn, anywhere(len(examples), far, seed)], axis=1)
    for example, places in zip(examples, drawn.tolist(), strict=True):
        texts = dict.fromkeys([*example.own, *(examples[place].positive for place in places)])
        wrong = [text for text in texts if normalize(text) != normalize(example.positive)]
        yield Group(example.question, (Answer(example.positive, 1), *(Answer(text, 0) for text in wrong)))


def anywhere(n: int, far: int, seed: int) -> NDArray[np.int64]:
    """Return ``far`` places of other examples for each of ``n``, (n, min(far, n - 1)); each place occurs equally often.

    The examples stand in a random circle, and each gets those that follow it.
    """
    circle = np.random.default_rng([seed, 2]).permutation(n)
    steps = np.arange(1, min(far, n - 1) + 1)
    places = np.empty((n, len(steps)), dtype=np.int64)
    places[circle] = circle[(np.arange(n)[:, None] + steps) % n]
    return places


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
        learned = pools(data, own=own, near=near, far=far, seed=seed)
        artifact.log(f"{len(learned.train):,} questions")
        ranker = fit(
            SYSTEM,
            learned.train,
            learned.dev,
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
                metadata(ranker, learned, seed) | {"seconds": round(seconds(folder / "training", SYSTEM))},
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
        "base": {"name": BASE, "fingerprint": base.fingerprint, "sha256": sha256(base.folder / "model.safetensors")},
        "files": pools.files,
        "questions": {"train": len(pools.train), "dev": len(pools.dev)},
        "strength": STRENGTH,
        "pools": {"own": OWN, "near": NEAR, "far": FAR, "fingerprint": pools.train.fingerprint},
        "without the question": without_question(pools.train),
        "also in": {
            f"{name} {split}": count_shared(pools.train, rankers.data.load(name, split))
            for name in HELD
            for split in ["test1" if name == "insuranceqa-mini" else "test"]
        },
        "provenance": dict(ranker.provenance),
    }


def without_question(questions: Questions) -> dict[str, float]:
    """Return P@1 of a scorer that learned from one half of the pools without reading questions, and P@1 of chance.

    Both are on the other half.
    """
    order = np.random.default_rng(0).permutation(len(questions))
    halves = [replace(questions, items=tuple(questions.items[i] for i in order[start::2])) for start in (0, 1)]
    run = rankers.run(AnswerOnly.fit(halves[0]), halves[1], "answer-only")
    chance = float(np.mean([1 / len(question.candidates) for question in halves[1]]))
    return {"P@1": rankers.evaluate(run, halves[1], measures=("P@1",)).mean("P@1"), "chance": chance}


if __name__ == "__main__":
    run_program(main)
