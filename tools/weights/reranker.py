"""Train the reranker that ships: adapt the last layers of MiniLM to cosine plus MaxSim, and write a LoRA adapter.

    python -m tools.weights.reranker --output runs/reranker      # resumes if it was stopped

It needs ``$ANSWERSIM_DATA`` and the extra ``train``. It learns from questions of SelQA, which is under a license that
allows it, with one positive each, and three kinds of negatives. Seven of eight questions of the dev split of SelQA
train, and the others are dev.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer

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
SEED = 0
STRENGTH = 0.5  # what the trained matrices are multiplied by
RECIPE: dict[str, Any] = {"negatives": 20, "epochs": 3, "precision": "bfloat16"}
HELD = "wikiqa trecqa selqa antique insuranceqa-mini fiqa-disjoint yahoocqa-disjoint trecdl19".split()
_PARAMETER = re.compile(r"encoder\.above\.(\d+)\.(.+)\.([ab])$")  # of rankers.modules.frozen_encoder


class Example(NamedTuple):
    """A question with its positive."""

    question: str  # its text
    positive: str  # a text that answers it
    own: Sequence[str]  # texts beside the positive that do not answer it


def pools(learned: Questions, *, own: int, near: int, far: int) -> Questions:
    """Return the training pools of these questions.

    The negatives of a question are up to ``own`` sentences of the section that its positive is from, and positives of
    other questions: ``near`` of the fifth that shares most words with it, and ``far`` of all. Each positive is drawn
    equally often. No positive is a positive or a question before it.
    """
    rng, examples = np.random.default_rng(SEED), dict[str, Example]()
    for question in learned:
        right = [c.text for c in question.candidates if learned.is_relevant(c)]
        other = [c.text for c in question.candidates if not learned.is_relevant(c)]
        texts = [other[i] for i in rng.permutation(len(other))[:own]] if right else []
        if right and normalize(question.text) not in examples:
            examples.setdefault(normalize(right[0]), Example(question.text, right[0], texts))
    return Questions(NAME, "train", shelve(list(_groups(list(examples.values()), near, far)), NAME, "train", SEED))


def _groups(examples: Sequence[Example], near: int, far: int) -> Iterator[Group]:
    drawn = negatives([e.question for e in examples], [e.positive for e in examples], min(near, len(examples) - 1))
    # and the ``far`` followers of each in a random circle
    circle = np.random.default_rng([SEED, 2]).permutation(n := len(examples))
    steps = np.arange(1, min(far, n - 1) + 1)
    followers = np.empty((n, len(steps)), dtype=np.int64)
    followers[circle] = circle[(np.arange(n)[:, None] + steps) % n]
    drawn = np.concatenate([drawn, followers], axis=1)
    for example, places in zip(examples, drawn.tolist(), strict=True):
        texts = dict.fromkeys([*example.own, *(examples[place].positive for place in places)])
        wrong = [text for text in texts if normalize(text) != normalize(example.positive)]
        yield Group(example.question, (Answer(example.positive, 1), *(Answer(text, 0) for text in wrong)))


def main(
    folder: Annotated[Path, typer.Option("-o", "--output", help="The folder of the training and of the adapter.")],
    smoke: Annotated[bool, typer.Option("--smoke", help="One epoch of few candidates, to test that it runs.")] = False,
) -> None:
    """Train the reranker and write its adapter."""
    with user_errors():
        output.check(folder, "adapter", {})
        learned, dev = trainable("selqa", home=default_data())
        own, near, far = (2, 1, 1) if smoke else (OWN, NEAR, FAR)
        train = pools(learned, own=own, near=near, far=far)
        artifact.log(f"{len(train):,} questions")
        options = {"folder": folder / "training", "seed": SEED, "log": artifact.log, "device": "cpu"}
        ranker = fit(SYSTEM, train, dev, overrides={**RECIPE, **({"epochs": 1} if smoke else {})}, **options)
        assert isinstance(ranker, NeuralRanker)  # what a system that ranks by its model is
        recipe = metadata(ranker, train, dev) | {"seconds": round(seconds(folder / "training", SYSTEM))}
        with output.replacing(folder / "adapter") as fresh:
            write(ranker, fresh)
            artifact.write_recipe(recipe, fresh, (adapter.CONFIG, adapter.WEIGHTS), artifact.LIBRARIES)
        artifact.log(f"written: {folder / 'adapter'}")


def write(ranker: NeuralRanker, folder: Path, strength: float = STRENGTH) -> None:
    """Write the matrices of a trained ``hybrid`` as an adapter in the format of peft, in half precision."""
    from peft import LoraConfig, TaskType

    settings, tensors, targets = ranker.settings, {}, set()
    layers = int(find(settings.checkpoint).config["num_hidden_layers"])
    lowest = layers - settings.unfrozen_layers
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


def metadata(ranker: NeuralRanker, train: Questions, dev: Questions) -> dict[str, Any]:
    """Return what recipe.json contains besides machine, versions and digests."""
    base, tests = find(BASE), {name: "test1" if name == "insuranceqa-mini" else "test" for name in HELD}
    return {
        "command": "python -m tools.weights.reranker",
        "base": {"name": BASE, "fingerprint": base.fingerprint, "sha256": sha256(base.folder / "model.safetensors")},
        "files": {SELQA: sha256(default_data() / SELQA)},
        "questions": {"train": len(train), "dev": len(dev)},
        "strength": STRENGTH,
        "pools": {"own": OWN, "near": NEAR, "far": FAR, "fingerprint": train.fingerprint},
        "without the question": without_question(train),
        "also in": {f"{n} {split}": count_shared(train, rankers.data.load(n, split)) for n, split in tests.items()},
        "provenance": dict(ranker.provenance),
    }


def without_question(questions: Questions) -> dict[str, float]:
    """Return P@1 of a scorer that learned from one half of the pools without their questions, and of chance."""
    order = np.random.default_rng(0).permutation(len(questions))
    halves = [replace(questions, items=tuple(questions.items[i] for i in order[start::2])) for start in (0, 1)]
    run = rankers.run(AnswerOnly.fit(halves[0]), halves[1], "answer-only")
    chance = float(np.mean([1 / len(question.candidates) for question in halves[1]]))
    return {"P@1": rankers.evaluate(run, halves[1], measures=("P@1",)).mean("P@1"), "chance": chance}


if __name__ == "__main__":
    run_program(main)
