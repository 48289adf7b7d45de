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
from answersim.errors import unknown
from answersim.files import replacing
from rankers import catalog, networks, neural, scoring, words
from rankers.adversarial import Adversarial
from rankers.catalog import Plan, Trained, Training
from rankers.changes import changed
from rankers.committee import Committee
from rankers.dev import Dev, checked
from rankers.neural import NeuralRanker
from rankers.sampling import Hardest, Negatives, Sampled, check_pool, training_set
from rankers.scoring import Encoded, Lengths
from rankers.training import Epoch, Trainer
from rankers.types import Questions, Ranker
from rankers.words import Ground

MODEL, GENERATOR, MEMBERS, HISTORY = "model", "generator", "members", "history.json"
COMMITTEES = ("committee", "uniform", "best-member")
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
        changes: Settings to change, by name (all but the seed), also in the training it starts from: the recipe's as
            they are ("epochs"), others as ``rankers.changes.changed`` has them ("adversary.reward").
        say: Called with one line after each epoch.

    Raises:
        LookupError: No system, preset, setting or measure has this name.
        ValueError: A setting out of its range, questions that cannot be trained on or measured by, or a folder with a
            training of other settings or data. All this is looked at before anything is trained.
    """
    system = catalog.system(name)
    if preset not in catalog.PRESETS:
        raise unknown("preset", preset, catalog.PRESETS)
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
        return assemble(home, system.ranks, self.plan(system.training).calibration)

    def plan(self, name: str) -> Plan:
        """The settings of this training, with the changes and the seed."""
        plan = changed(catalog.plan(name, self.preset), self.changes)
        return _as_long(replace(plan, recipe=replace(plan.recipe, seed=self.seed)))

    def trained(self, name: str) -> Path:
        """The folder of this training, finished."""
        training, plan = catalog.TRAININGS[name], self.plan(name)
        home, facts = self.folder / name, self._facts(name, plan)
        if _is_finished(home, facts):
            return home
        _check(training, plan, self.train, self.dev)
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
            "network": networks.to_dict(plan.network),
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
        hooks = (Members(home / MEMBERS, plan.every, recipe.epochs),) if plan.every else ()
        trainer = Trainer(network, data, texts, dev, recipe, negatives, hooks=hooks, facts=facts)
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
            "epochs": [_plain(each) for each in trainer.history],
            "lessons": [each._asdict() for each in lessons],
        }
        with replacing(home / HISTORY) as draft:
            draft.write_text(json.dumps(history, indent=1, allow_nan=False) + "\n", encoding="utf-8")


class Members:
    """A hook that keeps the weights of the start, of every third epoch (or so), and of the last one.

    What lay in the folder before the start is removed: members of a run that was given up are none of this one's.
    """

    def __init__(self, folder: Path, every: int, last: int) -> None:
        """Members in this folder, of every so many epochs and of the epoch with the number ``last``."""
        self.folder, self.every, self.last = folder, every, last

    def __call__(self, epoch: Epoch, network: nn.Module) -> None:
        """Keep the weights, where it is their turn."""
        if epoch.epoch == 0:
            for old in self.folder.glob("epoch-*.safetensors"):
                old.unlink()
        if epoch.epoch % self.every == 0 or epoch.epoch == self.last:
            path = self.folder / f"epoch-{epoch.epoch:02d}.safetensors"
            snapshots.save(path, neural.weights(network), {"epoch": epoch.epoch, "dev": epoch.dev})


def _as_long(plan: Plan) -> Plan:
    """The same plan, with a network of fixed lengths made for the lengths that the recipe reads."""
    lengths = {name: getattr(plan.recipe, name) for name in ("question_length", "answer_length")}
    if all(hasattr(plan.network, name) for name in lengths):
        return replace(plan, network=replace(plan.network, **lengths))
    return plan


def assemble(home: Path, ranks: str, calibration: str) -> Ranker:
    """The committee of a finished training, with weights by dev ("committee") or equal ones ("uniform"), or its best.

    The members are the kept states in the order of their epochs, the start first, and what the training itself ranks
    by; equal ones once. A weight is the member's dev measure over the sum of all (committee paper, section 2.4). The
    best is the one with the highest dev measure; of equal ones the first.

    Raises:
        LookupError: ``ranks`` is none of these.
        ValueError: A member's file is damaged.
    """
    if ranks not in COMMITTEES:
        raise unknown("committee", ranks, COMMITTEES)
    final = neural.load(home / MODEL)
    kept = [snapshots.load(path) for path in (home / MEMBERS).glob("epoch-*.safetensors")]
    ordered = sorted((each for each in kept if each is not None), key=lambda each: int(each.facts["epoch"]))
    members: dict[str, tuple[float, Ranker]] = {}
    for each in ordered:
        member = _with_weights(final, each.tensors)
        members.setdefault(member.signature, (float(each.facts["dev"]), member))
    epochs = checkpoints.read_json(home / HISTORY)["epochs"]
    members.setdefault(final.signature, (float(epochs[final.facts["chosen_epoch"]]["dev"]), final))
    if ranks == "best-member":
        return max(members.values(), key=lambda each: each[0])[1]
    weights = tuple(1.0 if ranks == "uniform" else value for value, _ in members.values())
    return Committee(tuple(each for _, each in members.values()), weights, calibration)


def _with_weights(ranker: NeuralRanker, tensors: Mapping[str, torch.Tensor]) -> NeuralRanker:
    """The same ranker with these weights."""
    network = neural.build(ranker.kind, ranker.settings, ranker.ground, 0)
    network.load_state_dict(tensors)
    return NeuralRanker(ranker.kind, ranker.settings, ranker.ground, ranker.lengths, network, ranker.facts)


def fingerprint(questions: Questions) -> str:
    """A hash of a split: its texts, grades and how they are read; 12 hexadecimal digits."""
    digest = sha256(f"{questions.corpus} {questions.split} {questions.relevant}".encode())
    if questions.gains or questions.judged:  # both count on dev
        digest.update(json.dumps([sorted(questions.gains.items()), questions.judged], sort_keys=True).encode())
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


def _check(training: Training, plan: Plan, train: Questions, dev: Questions) -> None:
    """Nothing, where this training can be done with these questions; else what stands in its way."""
    recipe = plan.recipe
    checked(dev, recipe.dev_measure, recipe.dev_limit)
    data = training_set(train, recipe.limit)
    if training.negatives == "adversarial" and plan.adversary is not None:
        adversary = replace(plan.adversary, k=recipe.negatives)  # refuses more than its pool holds
        check_pool(data, adversary.pool, keep_right=adversary.keep_right)
    else:
        check_pool(data, max(recipe.negatives, plan.pool if training.negatives == "hardest" else 0))


def _plain(epoch: Epoch) -> dict[str, Any]:
    """An epoch as JSON can hold it: epoch 0 has no loss."""
    return epoch._asdict() | {"loss": None if np.isnan(epoch.loss) else epoch.loss}


def history(folder: Path, training: str) -> dict[str, Any]:
    """What a finished training says of itself: its facts, its number of parameters, its epochs, its lessons."""
    return checkpoints.read_json(folder / training / HISTORY)


def seconds(folder: Path, training: str) -> float:
    """How long a finished training took, with all it started from."""
    spent = float(np.nan_to_num(history(folder, training)["epochs"][-1]["seconds"]))
    start = catalog.TRAININGS[training].start
    return spent + (seconds(folder, start) if start else 0.0)
