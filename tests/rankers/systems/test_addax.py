"""The systems of the ADDAX paper have names, differ in what they say, and train on a tiny encoder."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rankers.artifacts import neural
from rankers.fitting import fit
from rankers.inputs import words
from rankers.models import neural_ranker
from rankers.models.neural_ranker import NeuralRanker
from rankers.systems import catalog
from rankers.systems.addax import BINARY, LATE, SWEEPS, VARIANTS, WIDE, swept
from rankers.types import Questions, Ranker
from tests.rankers.small_minilm import needs_minilm

Fit = Callable[..., Ranker]


@pytest.fixture
def fitted(asked: Callable[..., Questions], tiny: Callable[..., Path], tmp_path: Path) -> Fit:
    encoder = str(tiny("bert"))
    small = {"network.checkpoint": encoder, "inputs.checkpoint": encoder, "question_length": 9, "answer_length": 14}

    def make(name: str, **changes: Any) -> Ranker:
        train, dev = asked(8), asked(4, split="dev", start=4)
        shorter = {} if name in (LATE, WIDE) else {"network.bits": 8, "network.widths": (10, 16)}
        changes = {**small, **shorter, "epochs": 2, **changes}
        return fit.fit(name, train, dev, folder=tmp_path, preset="smoke", overrides=changes)

    return make


def test_every_variant_lacks_the_part_that_its_name_states():
    parts = ("use_mag", "use_highway", "use_hashing", "attention_only")
    networks = {name: catalog.config(name, "paper").network for name in VARIANTS}
    assert {name: tuple(getattr(network, part) for part in parts) for name, network in networks.items()} == {
        "addax": (True, True, True, False),  # Table 3 of the paper
        "addax-wo-mags": (False, True, True, False),
        "addax-wo-hw": (True, False, True, False),
        "addax-wo-hd": (True, True, False, False),
        "addax-att-mags": (True, True, False, True),
        "addax-att-mags-hd": (True, True, True, True),
    }


def test_every_variant_changes_only_what_it_states() -> None:
    base: Any = catalog.config("addax", "paper")
    for name, change in [*((name, change) for name, (change, _) in VARIANTS.items()), *swept().items()]:
        result: Any = catalog.config(name, "paper")
        assert {key: getattr(result.network, key) for key in change} == change
        assert replace(result, network=base.network) == base
        assert replace(result.network, **{key: getattr(base.network, key) for key in change}) == base.network


def test_every_value_of_the_sweeps_has_a_name_and_differs_from_the_published_one() -> None:
    published: Any = catalog.config("addax", "paper").network
    assert len(swept()) == sum(map(len, SWEEPS.values()))
    assert all(getattr(published, name) not in values for name, values in SWEEPS.items())
    assert {*VARIANTS, *swept(), BINARY, LATE, WIDE} <= set(catalog.names())


def test_where_the_encoder_is_frozen_there_is_something_to_train(fitted: Fit) -> None:
    for name in (*VARIANTS, LATE, WIDE):
        network = fitted(name, epochs=1).network  # type: ignore[attr-defined]
        assert any(parameter.requires_grad for parameter in network.parameters()), name


def test_signs_rank_by_the_same_training(fitted: Fit, tmp_path: Path) -> None:
    whole, binary = fitted("addax"), fitted(BINARY)
    assert [path.name for path in tmp_path.iterdir()] == ["addax"]
    assert isinstance(binary, NeuralRanker)
    assert binary.settings == replace(whole.settings, codes="sign")  # type: ignore[attr-defined]
    assert neural_ranker.fingerprint(binary.network) == neural_ranker.fingerprint(whole.network)  # type: ignore[attr-defined]
    asked = ["where is the apple?"], [["the apple is here", "a boat", "some cellar"]]
    assert binary.score(*asked)[0].tolist() != whole.score(*asked)[0].tolist()
    neural.save(binary, tmp_path / "kept")
    assert neural.load(tmp_path / "kept") == binary


def test_constraints_and_gates_are_recorded_every_epoch(fitted: Fit, tmp_path: Path) -> None:
    fitted("addax")
    reports = json.loads((tmp_path / "addax" / fit.HISTORY).read_text())["objective_statistics"]
    assert [report["epoch"] for report in reports] == [1, 2]
    assert all(report["quantization"] > 0 and report["reconstruction"] > 0 for report in reports)
    assert all(0 <= report["question_gates"] <= 1 for report in reports)


def test_the_published_settings() -> None:
    plan: Any = catalog.config("addax", "paper")
    assert (plan.recipe.learning_rate, plan.recipe.epochs, plan.recipe.batch_size) == (1e-5, 18, 32)
    assert (plan.network.alpha, plan.network.delta, plan.network.gamma) == (5, 1e-6, 0.003)
    assert catalog.config("addax", "cpu").recipe.learning_rate == 1e-4


def test_the_published_settings_differ_by_corpus_under_the_preset_paper_only() -> None:
    for name in ("addax", "addax-wo-hd", LATE, WIDE):
        settings = {
            corpus: (recipe.epochs, recipe.batch_size, recipe.learning_rate)
            for corpus in ("wikiqa", "insuranceqa", "yahooqa", "msmarco", "mine")
            if (recipe := catalog.config(name, "paper", corpus).recipe)
        }
        assert settings == {  # section 4.2 of the paper, in its order of corpora
            "insuranceqa": (60, 32, 5e-6),
            "wikiqa": (18, 32, 1e-5),
            "yahooqa": (9, 64, 9e-6),
            "msmarco": (24, 64, 5e-6),
            "mine": (18, 32, 1e-5),
        }
        assert catalog.config(name, "cpu", "yahooqa") == catalog.config(name, "cpu", "wikiqa")


def test_the_control_of_size_has_as_many_weights_as_addax() -> None:
    needs_minilm()
    counts = {}
    for name in ("addax", WIDE, LATE):
        config: Any = catalog.config(name, "cpu")
        inputs = words.build(config.inputs, [], 0)
        network = neural_ranker.build(catalog.TRAININGS[name].kind, config.network, inputs, 0)
        counts[name] = sum(parameter.numel() for parameter in network.parameters() if parameter.requires_grad)
    assert counts[LATE] == 147_456
    assert counts[WIDE] == pytest.approx(counts["addax"], rel=0.01)
