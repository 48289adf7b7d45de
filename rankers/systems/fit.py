"""From a name and training questions to a ranker: the trainings that it needs, each once, and the part that ranks."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import rankers.models  # isort: skip  # noqa: F401 # before torch, whose threads then wait passively
import numpy as np
from torch import nn

from answersim._base.errors import unknown
from answersim._base.io.output_files import atomic_write
from answersim._base.runtime import training_checkpoints
from answersim.metrics.checkpoints import search
from rankers.data.catalog import trainable
from rankers.models import neural_ranker, store
from rankers.models.neural_ranker import NeuralRanker
from rankers.modules import devices, local_checkpoints, scoring, words
from rankers.modules.scoring import Encoded, Lengths
from rankers.modules.words import Inputs
from rankers.settings import differences, to_json
from rankers.systems import catalog, members
from rankers.systems.catalog import HISTORY, MODEL
from rankers.systems.members import GENERATOR, MEMBERS, Members
from rankers.training.adversarial import Adversarial
from rankers.training.definitions import Trained, Training, TrainingConfig
from rankers.training.objective import StatefulObjective
from rankers.training.overrides import apply
from rankers.training.overrides import with_encoder as encoder_overrides
from rankers.training.sampling import (
    Dev,
    Hardest,
    Negatives,
    NoNegatives,
    Sampled,
    TrainingSet,
    check_dev,
    check_pool,
    left_out,
    training_set,
    with_positives,
)
from rankers.training.trainer import Hook, Trainer
from rankers.types import Questions, Ranker

Log = Callable[[str], None]


def fit(name: str, train: Questions, dev: Questions, **settings: Any) -> Ranker:
    """Return a trained ranker. ``settings`` are fields of ``Trainings``."""
    return Trainings(train, dev, **settings).ranker(name)


def provenance(name: str, train: Questions, dev: Questions, **settings: Any) -> dict[str, Any]:
    """Return everything that determines a trained system, before training: ranking part, settings, hashes of questions.

    Equal values are the same system, up to the last bits on other machines. They are JSON-compatible.
    """
    return Trainings(train, dev, **settings).provenance(name)


def checked_overrides(
    name: str,
    overrides: Mapping[str, Any] | None,
    *,
    encoder: str | os.PathLike[str] | None = None,
    preset: str = "cpu",
) -> dict[str, Any]:
    """Return the overrides, with an encoder in every place of one in the training of a system.

    Raise an error for a name or a value that is not possible, and for a setting that would have no effect, which
    ``Trainings`` ignores.
    """
    if overrides is not None and (
        not isinstance(overrides, Mapping) or not all(isinstance(name, str) for name in overrides)
    ):
        raise TypeError(f"overrides are {overrides!r:.60}, but they must be settings by name, such as {{'epochs': 3}}")
    system, changed = catalog.system(name), dict(overrides or {})
    if not isinstance(system, Trained):
        if encoder is not None or changed:
            ignored = f"the override of {min(changed)}" if encoder is None else f"the encoder {os.fspath(encoder)}"
            raise ValueError(f"{name} is not trained, so {ignored} would be ignored; leave it out")
        return {}
    if encoder is not None:
        config = apply(catalog.config(system.training, preset), changed)
        changed = {**encoder_overrides(config, os.fspath(encoder)), **changed}
    names = [system.training]
    while (start := catalog.TRAININGS[names[-1]].start) and start not in names:
        names.append(start)
    trainings = [catalog.TRAININGS[training] for training in names]
    configs = [apply(catalog.config(training, preset), changed) for training in names]
    readers = {
        "adversary.": ("adversary", any(config.adversary is not None for config in configs)),
        "training.source": ("transfer", any(training.transfers for training in trainings)),
        "training.pool": (
            "negatives that are the hardest of a pool",
            any(training.negatives == "hardest" for training in trainings),
        ),
        "training.calibration": ("committee", system.ranks in ("committee", "uniform")),
    }
    for setting in changed:
        for start, (reader, is_there) in readers.items():
            if setting.startswith(start) and not is_there:
                raise ValueError(f"{name} has no {reader}, so the override of {setting} would be ignored; leave it out")
    return changed


@dataclass
class Trainings:
    """The trainings of one corpus, preset and seed. The fields are the arguments of ``rankers.fit``.

    Overrides also apply to the training that another one starts from. A device is not part of the provenance.
    """

    train: Questions
    dev: Questions
    folder: Path = Path()
    preset: str = "cpu"
    seed: int = 0
    overrides: Mapping[str, Any] | None = None
    log: Log = lambda line: None
    device: str | None = None
    # called once before the first training, after all checks; not called if nothing is left to train
    before: Callable[[], None] = lambda: None
    _sources: dict[str, tuple[Questions, Questions]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        """Check the preset. Raise LookupError for an unknown one."""
        if self.preset not in catalog.PRESETS:
            raise unknown("preset", self.preset, catalog.PRESETS)
        self.overrides = dict(self.overrides or {})

    def ranker(self, name: str) -> Ranker:
        """Return the ranker of a system: the part of its training that ranks, after finishing the training."""
        system = catalog.system(name)
        if not isinstance(system, Trained):
            return system.make(self.train, self.seed)
        device, home = devices.resolve(self.device), self.trained(system.training)
        return members.ranker(home, system.ranks, self.config(system.training).calibration, device)

    def provenance(self, name: str) -> dict[str, Any]:
        """Return everything that determines a ranker: its training, earlier trainings, and the part that is used."""
        system = catalog.system(name)
        if not isinstance(system, Trained):
            raise ValueError(f"{name} is not trained; only its signature determines it")
        stated: dict[str, Any] = {"ranks": system.ranks, "calibration": self.config(system.training).calibration}
        names = [system.training]
        for training_name in names:
            training, config = catalog.TRAININGS[training_name], self.config(training_name)
            stated[_place(training_name, config.source)] = self._provenance(
                training_name, config, *self._data(training, config)
            )
            names += [training.start] if _has_start(training, config) else []
        return stated

    def config(self, name: str) -> TrainingConfig:
        """Return the settings of this training, with the changes and the seed."""
        config = apply(catalog.config(name, self.preset, self.train.corpus), self.overrides or {})
        return _as_long(replace(config, recipe=replace(config.recipe, seed=self.seed)))

    def trained(self, name: str) -> Path:
        """Return the folder of this training, after finishing it."""
        training, config = catalog.TRAININGS[name], self.config(name)
        train, dev = self._data(training, config)
        home, provenance = self.folder / _place(name, config.source), self._provenance(name, config, train, dev)
        if _is_finished(home, provenance):
            return home
        _check(training, config, train, dev)
        before, self.before = self.before, lambda: None
        before()
        if training.start and catalog.TRAININGS[training.start].transfers:
            first = f"first on {config.source}, then on" if config.source else "on"
            self.log(f"{home.name}: trains {first} {self.train.corpus} (training.source is {config.source!r})")
        start = self.trained(training.start) if _has_start(training, config) else None
        with training_checkpoints.alone(home):
            if not _is_finished(home, provenance):  # by another process, since the check above
                self._train(_Job(training, config, train, dev, start, home, provenance))
        return home

    def _data(self, training: Training, config: TrainingConfig) -> tuple[Questions, Questions]:
        """Return the given questions or those of the source corpus, perturbed if requested."""
        if not training.transfers:  # damage is done to the same questions as are used without it
            damage = config.damage
            return self.train if damage is None else damage.done(with_positives(self.train), self.seed), self.dev
        if config.source == self.train.corpus:
            raise ValueError(
                f"the first and the second training are both on {config.source}, but a transfer needs another corpus: "
                'overrides={"training.source": ...}'
            )
        if config.source not in self._sources:
            self._sources[config.source] = trainable(config.source)
        return self._sources[config.source]

    def _provenance(self, name: str, config: TrainingConfig, train: Questions, dev: Questions) -> dict[str, Any]:
        """Return everything that determines a training, to distinguish its folder from others."""
        aims = config.objective
        provenance = {
            "training": name,
            "preset": self.preset,
            "recipe": to_json(config.recipe),
            "network": to_json(config.network),
            "inputs": to_json(config.inputs),
            "pool": config.pool,
            "adversary": vars(config.adversary) if config.adversary else None,
            "every": config.every,
            "objective": aims and {"is": type(aims).__name__, **to_json(aims)},
            "source": config.source,
            "damage": to_json(config.damage),
            "train": train.fingerprint,
            "dev": dev.fingerprint,
        }
        return json.loads(json.dumps(provenance))

    def _train(self, job: _Job) -> None:
        training, config, start, home = job.training, job.config, job.start, job.home
        recipe, data = config.recipe, _data_of(config, job.train)
        lengths = Lengths(recipe.question_length, recipe.answer_length)
        inputs, network = self._start(job, data.questions + data.answers)
        network.to(devices.resolve(self.device))
        texts, truncated = _encoded(inputs, data, lengths)
        omitted = left_out(job.train, job.dev, recipe.limit, recipe.dev_limit, is_kept=_keeps_all(config))
        for notice in filter(None, (*omitted, truncated)):
            self.log(f"{home.name}: {notice}")
        dev = Dev.of(job.dev, inputs.vocabulary, lengths, recipe.dev_measure, recipe.dev_limit)
        negatives = self._negatives(training, config, start, texts)
        objective = config.objective.build() if config.objective else None
        hooks: list[Hook] = [Members(home / MEMBERS, config.every, recipe.epochs)] if config.every else []
        trainer = Trainer(network, data, texts, dev, recipe, negatives, objective, hooks, job.provenance)
        trainer.finish(home, lambda line: self.log(f"{home.name}: {line}"))
        _keep(job, inputs, lengths, trainer)

    def _start(self, job: _Job, texts: list[str]) -> tuple[Inputs, nn.Module]:
        """Return the words and the network before the first epoch."""
        training, config = job.training, job.config
        if job.start is None:
            inputs = words.build(config.inputs, texts, self.seed)
            return inputs, neural_ranker.build(training.kind, config.network, inputs, self.seed)
        source = store.load(job.start / MODEL)
        if not neural_ranker.adopts(training.kind):
            return source.inputs, source.network
        network = neural_ranker.build(training.kind, config.network, source.inputs, self.seed)
        neural_ranker.adopt(training.kind, network, source.network)
        return source.inputs, network

    def _negatives(self, training: Training, config: TrainingConfig, start: Path | None, texts: Encoded) -> Negatives:
        if config.recipe.reads == "rows":
            return NoNegatives()
        if training.negatives == "adversarial" and config.adversary is not None and start is not None:
            generator = store.load(start / MODEL, devices.resolve(self.device)).network
            settings = replace(config.adversary, k=config.recipe.negatives, seed=self.seed)
            return Adversarial(generator, texts, settings)
        if training.negatives == "hardest":
            return Hardest(config.recipe.negatives, config.pool, self.seed)
        return Sampled(config.recipe.negatives, self.seed)


class _Job(NamedTuple):
    """A training to be done: its definition, its data, its start and its folder."""

    training: Training
    config: TrainingConfig
    train: Questions
    dev: Questions
    start: Path | None
    home: Path
    provenance: dict[str, Any]


def _check(training: Training, config: TrainingConfig, train: Questions, dev: Questions) -> None:
    """Check that this training is possible with these questions and its encoder. The error gives the reason if not."""
    recipe = config.recipe
    check_dev(dev, recipe.dev_measure, recipe.dev_limit)
    readers: list[Any] = [config.network, *([config.inputs] if config.inputs.source == "checkpoint" else [])]
    for name in dict.fromkeys(part.checkpoint for part in readers if hasattr(part, "checkpoint")):
        local_checkpoints.checkpoint(name)  # raises if no place has it
    data = _data_of(config, train)
    if recipe.reads == "rows":
        return
    if training.negatives == "adversarial" and config.adversary is not None:
        check_pool(data, replace(config.adversary, k=recipe.negatives).pool)  # rejects a k above its pool
    else:
        check_pool(data, max(recipe.negatives, config.pool if training.negatives == "hardest" else 0))


def _data_of(config: TrainingConfig, train: Questions) -> TrainingSet:
    return training_set(train, config.recipe.limit, without_positives=_keeps_all(config))


def _keeps_all(config: TrainingConfig) -> bool:
    """Return whether questions that flipped labels leave without a positive are trained on."""
    return config.damage is not None and config.recipe.reads == "rows"


def _encoded(inputs: Inputs, data: TrainingSet, lengths: Lengths) -> tuple[Encoded, str]:
    """Return the ids of the texts of a training, and a notice of how many texts are truncated; "" for none."""
    longer = scoring.encode(inputs.vocabulary, data.questions, data.answers, Lengths(*(n + 1 for n in lengths)))
    notices = []
    for side, ids, most in zip(Lengths._fields, longer, lengths, strict=True):
        if n := sum(len(text) > most for text in ids):
            notices.append(f"{n} of {len(ids)} {side}s are truncated to {most} words or word pieces ({side}_length)")
    encoded = Encoded(*([text[:most] for text in ids] for ids, most in zip(longer, lengths, strict=True)))
    return encoded, ", ".join(notices)


def _keep(job: _Job, inputs: Inputs, lengths: Lengths, trainer: Trainer) -> None:
    """Save the finished ranker, its generator if it has one, and finally the history, which marks it as finished."""
    kind, config = job.training.kind, job.config
    stated = job.provenance | {
        "corpus": job.train.corpus,
        "chosen_epoch": (trainer.best_epoch if config.recipe.keep == "best" else trainer.history[-1]).epoch,
        "versions": {package: version(package) for package in ("answersim", "torch", "numpy")},
    }
    adversary = trainer.negatives if isinstance(trainer.negatives, Adversarial) else None
    networks = {MODEL: trainer.network} | ({GENERATOR: adversary.generator} if adversary else {})
    for name, trained in networks.items():
        networks[name], settings = neural_ranker.plain(kind, trained, config.network, inputs.embedding())
        store.save(NeuralRanker(kind, settings, inputs, lengths, networks[name], stated), job.home / name)
    of_objective = trainer.objective.statistics if isinstance(trainer.objective, StatefulObjective) else []
    history = {
        "provenance": job.provenance,
        "parameters": sum(p.numel() for p in networks[MODEL].parameters()),
        # epoch 0 has no loss
        "epochs": [epoch._asdict() | ({"loss": None} if np.isnan(epoch.loss) else {}) for epoch in trainer.history],
        "generator_statistics": [row._asdict() for row in (adversary.statistics if adversary else [])],
        "objective_statistics": [row._asdict() for row in of_objective],
    }
    with atomic_write(job.home / HISTORY) as draft:
        draft.write_text(json.dumps(history, indent=1, allow_nan=False) + "\n", encoding="utf-8")
    if config.recipe.keep == "best":  # the model has its weights; otherwise the state has those of the best epoch
        (job.home / training_checkpoints.FILE).unlink(missing_ok=True)


def _as_long(config: TrainingConfig) -> TrainingConfig:
    """Return the same settings, with the lengths of the network and the objective adapted to the recipe."""
    if config.objective is not None:
        config = replace(config, objective=config.objective.resolve(config.recipe))
    lengths = {name: getattr(config.recipe, name) for name in ("question_length", "answer_length")}
    if all(hasattr(config.network, name) for name in lengths):
        return replace(config, network=replace(config.network, **lengths))
    return config


def _is_finished(home: Path, provenance: dict[str, Any]) -> bool:
    """Return whether this training is finished. Raise ValueError for the folder of another training."""
    if not (home / HISTORY).exists():
        return False
    stored = search.read_json(home / HISTORY)["provenance"]
    if stored == provenance:
        return True
    changes = "; ".join(differences(stored, provenance))
    raise ValueError(f"{home} contains a training with other settings ({changes}): give another folder, or remove it")


def _place(training: str, source: str) -> str:
    """Return the name of the folder of a training; that of a transfer contains its source."""
    return f"{training}-{source}" if catalog.TRAININGS[training].transfers else training


def _has_start(training: Training, config: TrainingConfig) -> bool:
    """Return whether another training comes first: for a transfer, if there is a source."""
    return bool(training.start) and (bool(config.source) or not catalog.TRAININGS[training.start].transfers)


def history(folder: Path, training: str) -> dict[str, Any]:
    """Read the record of a finished training: provenance, number of parameters, epochs, and statistics per epoch.

    A transfer is named with its source, "ce-transfer-selqa".
    """
    return search.read_json(folder / training / HISTORY)


def seconds(folder: Path, training: str) -> float:
    """Return the seconds of a finished training, including the trainings that it started from."""
    record = history(folder, training)
    spent = float(np.nan_to_num(record["epochs"][-1]["seconds"]))
    start = catalog.TRAININGS[training].start if training in catalog.TRAININGS else ""
    if start and catalog.TRAININGS[start].transfers:
        source = record["provenance"].get("source", "")
        return spent + (seconds(folder, _place(start, source)) if source else 0.0)
    return spent + (seconds(folder, start) if start else 0.0)
