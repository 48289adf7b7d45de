"""A catalog of one small network, and trainings of it."""

from __future__ import annotations

import pytest

from rankers.systems import catalog
from rankers.systems.fit import fit
from rankers.training.definitions import Trained, Training
from tests.rankers.fitting.small_systems import plan


@pytest.fixture(scope="module")
def _small_systems():
    """A catalog of one small network and what is made of it; no checkpoint is needed."""
    kinds = {
        "": ("plain", ""),
        "-adv": ("adv", "adversarial"),
        "-dns": ("dns", "hardest"),
        "-ckpt": ("ckpt", "sampled"),
    }
    trainings = {
        f"small{suffix}": Training(
            "match-pyramid",
            lambda preset, phase=phase: plan(phase, preset),
            "small" if suffix else "",
            negatives or "sampled",
        )
        for suffix, (phase, negatives) in kinds.items()
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
