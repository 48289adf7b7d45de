"""What every ranker promises: the catalog, bad input, and rankers that are not trained."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

import rankers
from rankers.fitting import fit
from rankers.systems import catalog
from rankers.systems.definitions import Untrained
from rankers.types import Questions
from tests.rankers.promises import check_promises
from tests.rankers.small_minilm import needs_minilm

torch = pytest.importorskip("torch")

BASELINES = {name: system for name in catalog.names() if isinstance(system := catalog.system(name), Untrained)}


@pytest.mark.parametrize("name", BASELINES)
def test_a_baseline_keeps_the_promises(name: str, ten_questions: Questions) -> None:
    if name.startswith("minilm"):
        needs_minilm()
    few = replace(ten_questions, items=ten_questions.items[:2])
    check_promises(BASELINES[name].make(few, 0), few)


@pytest.mark.parametrize("name", BASELINES)
def test_a_baseline_that_is_built_twice_is_equal_and_has_an_equal_signature(
    name: str, ten_questions: Questions
) -> None:
    if name.startswith("minilm"):
        needs_minilm()
    one, other = (BASELINES[name].make(ten_questions, 0) for _ in range(2))
    assert one == other
    assert one.signature == other.signature


def test_names_are_those_that_were_promised() -> None:
    promised = "random word-overlap bm25 minilm-biencoder minilm-maxsim match-pyramid dmn man qa-lstm qa-lstm-att "
    promised += "ctrn-pointwise global local group group-offset ggsa iggsa"
    promised += " ce-plain tanda scan scan scan-wo-fd scan-rate-1-wo-ld scan-wo-both "
    promised += "tanda-perturbed tanda-noisy scan-rate-1-perturbed scan-rate-1-noisy "
    promised += "addax addax-wo-mags addax-wo-hw addax-wo-hd addax-att-mags addax-att-mags-hd "
    promised += "addax-binary late-interaction minilm-hybrid hybrid minilm-reranker"
    ends = ("-adv", "-advcom", "-advcom-uniform", "-best-checkpoint", "-ckpt-committee", "-dns")
    wanted = promised.split() + [kind + end for kind in ("match-pyramid", "dmn", "man") for end in ends]
    assert set(wanted) <= set(rankers.names())


def test_every_system_has_settings_for_every_preset() -> None:
    for name in catalog.TRAININGS:
        for preset in catalog.PRESETS:
            recipe = catalog.config(name, preset).recipe
            assert recipe.epochs > 0
            assert math.isfinite(recipe.learning_rate)


def test_a_finished_training_is_not_repeated(ten_questions: Questions, tmp_path: Path) -> None:
    needs_minilm()
    lines: list[str] = []
    for _ in range(2):
        rankers.fit(
            "match-pyramid",
            ten_questions,
            ten_questions,
            folder=tmp_path,
            preset="smoke",
            overrides={"epochs": 1},
            log=lines.append,
        )
    assert len(lines) == 2  # epochs 0 and 1 of the first call
    assert fit.seconds(tmp_path, "match-pyramid") > 0
