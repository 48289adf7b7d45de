"""What every ranker promises: the catalog, bad input, and rankers that are not trained."""

from __future__ import annotations

import math

import pytest

from rankers.models.minilm import MiniLmBiEncoder, MiniLmHybrid, MiniLmMaxSim
from rankers.systems import catalog
from rankers.training.definitions import Untrained
from tests.rankers.promises import check_promises, few
from tests.rankers.small_minilm import needs_minilm

torch = pytest.importorskip("torch")

BASELINES = {name: system for name in catalog.SYSTEMS if isinstance(system := catalog.system(name), Untrained)}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name.startswith("minilm") else []) for name in BASELINES]
)
def test_a_baseline_keeps_the_promises(name, ten_questions):
    if name.startswith("minilm"):
        needs_minilm()
    ranker = BASELINES[name].make(few(ten_questions, 2, 8), 0)
    check_promises(ranker, few(ten_questions, 2))


@pytest.mark.parametrize("kind", [MiniLmBiEncoder, MiniLmMaxSim, MiniLmHybrid])
def test_an_encoder_keeps_the_promises(kind, ten_questions, tiny):
    check_promises(kind(str(tiny("bert", positions=512))), few(ten_questions, 2))


@pytest.mark.parametrize("name", BASELINES)
def test_a_baseline_that_is_built_twice_is_equal_and_has_an_equal_signature(name, ten_questions):
    if name.startswith("minilm"):
        needs_minilm()
    first, second = (BASELINES[name].make(ten_questions, 0) for _ in range(2))
    assert first == second
    assert first.signature == second.signature


def test_every_system_has_settings_for_every_preset():
    for name in catalog.TRAININGS:
        for preset in catalog.PRESETS:
            recipe = catalog.config(name, preset).recipe
            assert recipe.epochs > 0
            assert math.isfinite(recipe.learning_rate)
