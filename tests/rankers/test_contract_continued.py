"""A training that continues another one keeps the promises, and so does each of its rankers."""

from __future__ import annotations

import pytest

from rankers.models import store
from rankers.models.combinations import Committee
from rankers.models.neural_ranker import NeuralRanker
from rankers.systems import catalog
from rankers.systems.fit import fit
from rankers.training.definitions import Trained
from rankers.types import Ranker
from tests.rankers.promises import check_promises, few
from tests.rankers.trainings import FURTHER, FURTHER_QUICK

torch = pytest.importorskip("torch")

CONTINUED = [pytest.param(name, marks=[] if name in FURTHER_QUICK else [pytest.mark.slow]) for name in FURTHER]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of all trainings, so that the start of each network is trained once."""
    return tmp_path_factory.mktemp("trainings")


@pytest.mark.parametrize("name", CONTINUED)
def test_a_training_on_another_one_runs_and_its_rankers_keep_the_promises(name, ten_questions, small_encoder, folder):
    systems = [
        system for system, kind in catalog.SYSTEMS.items() if isinstance(kind, Trained) and kind.training == name
    ]
    read = few(ten_questions, 4, 8)
    overrides = {"batch_size": 4, **small_encoder(name)}
    fitted: dict[str, Ranker] = {}
    for system in systems:
        ranker = fit(system, read, read, folder=folder, preset="smoke", overrides=overrides)
        reads_pool = isinstance(ranker, Committee) and ranker.calibration == "question"
        check_promises(ranker, few(ten_questions), reads_pool=reads_pool)
        if not isinstance(ranker, NeuralRanker):
            fitted[system] = ranker
            continue
        store.save(ranker, folder / "saved" / system)
        assert store.load(folder / "saved" / system).signature == ranker.signature
        fitted[system] = ranker
    committees = [ranker for ranker in fitted.values() if isinstance(ranker, Committee)]
    for committee in committees:  # epochs 0 and 3, and the one that the recipe keeps
        remaining = committee.members[-1].provenance["chosen_epoch"]
        assert len(committee.members) == len({0, 3, remaining})
    assert all(sum(committee.weights) == pytest.approx(1) for committee in committees)
    assert (f"{name}-generator" in fitted) == name.endswith("-adv")
