"""A catalog of one small network, and trainings of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rankers.models.match_pyramid import Config
from rankers.modules.words import InputConfig
from rankers.systems import catalog
from rankers.systems.fit import fit
from rankers.training.adversarial import Adversary
from rankers.training.definitions import Trained, Training, TrainingConfig
from rankers.training.trainer import Recipe


def plan(phase: str, preset: str) -> TrainingConfig:
    recipe = Recipe(epochs=2, batch_size=8, learning_rate=0.03, question_length=8, answer_length=12, dev_measure="MRR")
    built = TrainingConfig(
        Config(channels=(4,), grid=(2, 3)), InputConfig("random", size=16, at_least=1, project=8), recipe
    )
    if phase == "plain":
        return built
    adversary = Adversary(pool=6, samples=3, pairs=6, learning_rate=0.003) if phase == "adversarial" else None
    further = replace(recipe, epochs=4 if preset == "smoke" else 12, keep="last", learning_rate=0.01, batch_size=14)
    return replace(built, recipe=further, pool=6, adversary=adversary, every=3, calibration="question")


@pytest.fixture(scope="module")
def _small_systems():
    """A catalog of one small network and what is made of it; no checkpoint is needed."""
    kinds = {"": "plain", "-adv": "adversarial", "-dns": "hardest", "-ckpt": "sampled"}
    trainings = {
        f"small{suffix}": Training(
            "match-pyramid",
            lambda preset, _, kind=kind: plan(kind, preset),
            "small" if suffix else "",
            kind if suffix else "sampled",
        )
        for suffix, kind in kinds.items()
    }
    systems = {name: Trained(name, "model", "") for name in trainings} | {
        "small-advcom": Trained("small-adv", "committee", ""),
        "small-uniform": Trained("small-adv", "uniform", ""),
        "small-best": Trained("small-adv", "best-member", ""),
        "small-best-epoch": Trained("small-adv", "best-epoch", ""),
        "small-generator": Trained("small-adv", "generator", ""),
        "small-ckptcom": Trained("small-ckpt", "committee", ""),
    }
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(catalog, "TRAININGS", trainings)
        monkeypatch.setattr(catalog, "SYSTEMS", systems)
        yield


@pytest.fixture(scope="module")
def train(asked):
    return asked(10)


@pytest.fixture(scope="module")
def dev(asked):
    return asked(6, split="dev", start=4)


@pytest.fixture
def fitted(train, dev, tmp_path):
    """``fitted(name)`` is the trained ranker, in the folder of the test."""

    def make(name, **settings):
        return fit(name, train, dev, **{"folder": tmp_path, "preset": "smoke", **settings})

    return make
