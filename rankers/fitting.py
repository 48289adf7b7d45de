"""From a name and training questions to a ranker: the trainings it needs, each once, and what of them ranks."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from answersim import checkpoints, snapshots
from answersim.files import replacing
from rankers import catalog, neural, scoring, words
from rankers.adversarial import Adversarial
from rankers.catalog import Plan, Training, Trained
from rankers.committee import Committee
from rankers.dev import Dev
from rankers.neural import NeuralRanker
from rankers.sampling import Hardest, Negatives, Sampled, TrainingSet, training_set
from rankers.scoring import Encoded, Lengths
from rankers.training import Epoch, Trainer, put
from rankers.types import Questions, Ranker
from rankers.words import Ground

MODEL, GENERATOR, MEMBERS, HISTORY = "model", "generator", "members", "history.json"
Say = Callable[[str], None]


def fit(
    name: str,
    train: Questions,
    dev: Questions,
    *,
    folder: Path,
    preset: str = "cpu",
    seed: int = 0,
    changes: Mapping[str, Any] | None = None,
    say: Say = lambda line: None,
) -> Ranker:
    """A trained ranker.

    Args:
        name: A system of the catalogue.
        train: What it learns from.
        dev: What decides which epoch is the best, and the weights of a committee's members.
        folder: Where trainings are kept, one folder each: what is there and finished is not done again, what was
            stopped goes on.
        preset: "smoke" (seconds), "cpu" (minutes) or "paper" (the published settings).
        seed: Of everything that is random.
        changes: Settings of the recipe to change, by name.
        say: Called with one line after each epoch.

    Raises:
        LookupError: No system or preset has this name.
        ValueError: The folder has a training with other settings or data.
    """
    system = catalog.system(name)
    if not isinstance(system, Trained):
        return system.make(train, seed)
    run = _Run(train, dev, folder, preset, seed, dict(changes or {}), say)
    return run.ranker(system)


class _Run:
    """The trainings of one corpus, preset and seed."""

    def __init__(
        self, train: Questions, dev: Questions, folder: Path, preset: str, seed: int, changes: dict[str, Any], say: Say
    ) -> None:
        self.train, self.dev, self.folder, self.preset, self.seed = train, dev, folder, preset, seed
        self.changes, self.say = changes, say

    def ranker(self, system: Trained) -> Ranker:
        """What of a training ranks."""
        home = self.trained(system.training)
        if system.ranks in (MODEL, GENERATOR):
            return neural.load(home / system.ranks)
        return assemble(home, system.ranks, catalog.plan(system.training, self.preset).calibration)

    def trained(self, name: str) -> Path:
        """The folder of this training, finished."""
        training, plan = catalog.TRAININGS[name], catalog.plan(name, self.preset)
        plan = replace(plan, recipe=replace(plan.recipe, seed=self.seed, **self.changes))
        home, facts = self.folder / name, self._facts(name, plan)
        if _is_finished(home, facts):
            return home
        start = self.trained(training.start) if training.start else None
        home.mkdir(parents=True, exist_ok=True)
        self._train(training, plan, start, home, facts)
        return home

    def _facts(self, name: str, plan: Plan) -> dict[str, Any]:
        """All that decides a training, for its folder to tell it from others."""
        facts = {
            "training": name,
            "preset": self.preset,
            "recipe": plan.recipe.to_dict(),
            "network": neural.networks.to_dict(plan.network),
            "inputs": plan.inputs.to_dict(),
            "pool": plan.pool,
            "adversary": vars(plan.adversary) if plan.adversary else None,
            "every": plan.every,
            "train": fingerprint(self.train),
            "dev": fingerprint(self.dev),
        }
        return json.loads(json.dumps(facts))

    def _train(self, training: Training, plan: Plan, start: Path | None, home: Path, facts: dict[str, Any]) -> None:
        recipe, data = plan.recipe, training_set(self.train, plan.recipe.limit)
        lengths = Lengths(recipe.question_length, recipe.answer_length)
        if start is None:
            ground = words.lay(plan.inputs, data.questions + data.answers, self.seed)
            network = neural.build(training.kind, plan.network, ground, self.seed)
        else:
            ground = neural.load(start / MODEL).ground
            network = neural.load(start / MODEL).network
        texts = scoring.encode(ground.vocabulary, data.questions, data.answers, lengths)
        dev = Dev.of(self.dev, ground.vocabulary, lengths, recipe.dev_measure, recipe.dev_limit)
        negatives = self._negatives(training, plan, start, texts)
        keeper = _Members(home / MEMBERS, plan.every)
        trainer = Trainer(network, data, texts, dev, recipe, negatives, hooks=(keeper,) if plan.every else ())
        trainer.finish(home, lambda line: self.say(f"{facts['training']}: {line}"))
        self._keep(training, plan, ground, lengths, trainer, home, facts)

    def _negatives(self, training: Training, plan: Plan, start: Path | None, texts: Encoded) -> Negatives:
        if training.negatives == "adversarial" and plan.adversary is not None and start is not None:
            generator = neural.load(start / MODEL).network
            settings = replace(plan.adversary, k=plan.recipe.negatives, seed=self.seed)
            return Adversarial(generator, texts, settings)
        if training.negatives == "hardest":
            return Hardest(plan.recipe.negatives, plan.pool, self.seed)
        return Sampled(plan.recipe.negatives, self.seed)

    def _keep(
        self,
        training: Training,
        plan: Plan,
        ground: Ground,
        lengths: Lengths,
        trainer: Trainer,
        home: Path,
        facts: dict[str, Any],
    ) -> None:
        """The finished ranker, its generator where it has one, and last the file that says it is finished."""
        stated = facts | {
            "corpus": self.train.corpus,
            "chosen_epoch": (trainer.best_epoch if plan.recipe.keep == "best" else trainer.history[-1]).epoch,
            "versions": {each: version(each) for each in ("answersim", "torch", "numpy")},
        }
        kept = {MODEL: trainer.network}
        if isinstance(trainer.negatives, Adversarial):
            kept[GENERATOR] = trainer.negatives.generator
        for name, network in kept.items():
            ranker = NeuralRanker(training.kind, plan.network, ground, lengths, network, stated)
            neural.save(ranker, home / name)
        lessons = trainer.negatives.lessons if isinstance(trainer.negatives, Adversarial) else []
        history = {
            "facts": facts,
            "parameters": sum(p.numel() for p in trainer.network.parameters()),
            "epochs": [each._asdict() for each in trainer.history],
            "lessons": [each._asdict() for each in lessons],
        }
        with replacing(home / HISTORY) as draft:
            draft.write_text(json.dumps(history, indent=1).replace("NaN", "null") + "\n", encoding="utf-8")


class _Members:
    """A hook that keeps the weights of every third epoch (or so), of the start and of the last one.

    The last epoch of the recipe is kept whatever its number.
    """

    def __init__(self, folder: Path, every: int) -> None:
        self.folder, self.every = folder, every

    def __call__(self, epoch: Epoch, network: nn.Module) -> None:
        if epoch.epoch % self.every == 0:
            path = self.folder / f"epoch-{epoch.epoch:02d}.safetensors"
            snapshots.save(path, neural.weights(network), {"epoch": epoch.epoch, "dev": epoch.dev})


def assemble(home: Path, ranks: str, calibration: str) -> Ranker:
    """The committee of a finished training, with weights by dev ("committee") or equal ones ("uniform"), or its best.

    The members are the kept states, the start and the last state, each once. A weight is the member's dev measure over
    the sum of all (committee paper, section 2.4).
    """
    final = neural.load(home / MODEL)
    members: list[tuple[float, NeuralRanker]] = []
    for path in sorted((home / MEMBERS).glob("epoch-*.safetensors")):
        kept = snapshots.load(path)
        if kept is None:
            continue
        members.append((float(kept.facts["dev"]), _with_weights(final, kept.tensors)))
    history = checkpoints.read_json(home / HISTORY)["epochs"]
    if final.signature not in {each.signature for _, each in members}:
        members.append((float(history[-1]["dev"]), final))
    if ranks == "best-member":
        return max(members, key=lambda each: each[0])[1]
    weights = tuple(1.0 if ranks == "uniform" else value for value, _ in members)
    return Committee(tuple(each for _, each in members), weights, calibration)


def _with_weights(ranker: NeuralRanker, tensors: Mapping[str, torch.Tensor]) -> NeuralRanker:
    """The same ranker with these weights."""
    network = neural.build(ranker.kind, ranker.settings, ranker.ground, 0)
    put(network, tensors)
    return NeuralRanker(ranker.kind, ranker.settings, ranker.ground, ranker.lengths, network, ranker.facts)


def fingerprint(questions: Questions) -> str:
    """A hash of a split: its texts, grades and how they are read; 12 hexadecimal digits."""
    digest = sha256(f"{questions.corpus} {questions.split} {questions.relevant}".encode())
    for each in questions:
        digest.update(json.dumps([each.text, [list(candidate[1:]) for candidate in each.candidates]]).encode())
    return digest.hexdigest()[:12]


def _is_finished(home: Path, facts: dict[str, Any]) -> bool:
    """Whether this training is there; refuses another one's folder."""
    if not (home / HISTORY).exists():
        return False
    found = checkpoints.read_json(home / HISTORY)["facts"]
    if found == facts:
        return True
    other = {key: found.get(key) for key, value in facts.items() if found.get(key) != value}
    raise ValueError(f"{home} has a training with other settings ({other}): give another folder, or remove it")


def training_set_of(train: Questions, plan: Plan) -> TrainingSet:
    """What a plan reads of a split."""
    return training_set(train, plan.recipe.limit)


def history(folder: Path, training: str) -> dict[str, Any]:
    """What a finished training says of itself: its facts, its number of parameters, its epochs, its lessons."""
    return checkpoints.read_json(folder / training / HISTORY)


def seconds(folder: Path, training: str) -> float:
    """How long a finished training took, with all it started from."""
    spent = float(np.nan_to_num(history(folder, training)["epochs"][-1]["seconds"]))
    start = catalog.TRAININGS[training].start
    return spent + (seconds(folder, start) if start else 0.0)
