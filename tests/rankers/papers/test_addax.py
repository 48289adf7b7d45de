"""The systems of the ADDAX paper train on a tiny encoder."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from rankers.models import neural_ranker, store
from rankers.models.neural_ranker import NeuralRanker
from rankers.modules import words
from rankers.systems import catalog, fit
from rankers.training import overrides
from tests.rankers.small_minilm import needs_minilm

LATE, WIDE, BINARY = "late-interaction", "late-interaction-wide", "addax-binary"
VARIANTS = [f"addax{end}" for end in ("", "-wo-mags", "-wo-hw", "-wo-hd", "-att-mags", "-att-mags-hd")]


@pytest.fixture
def fitted(asked, tiny, tmp_path):
    encoder = str(tiny("bert"))
    small = {"network.checkpoint": encoder, "inputs.checkpoint": encoder, "question_length": 9, "answer_length": 14}

    def make(name, **changes):
        train, dev = asked(8), asked(4, split="dev", start=4)
        shorter = {} if name in (LATE, WIDE) else {"network.bits": 8, "network.widths": (10, 16)}
        changes = {**small, **shorter, "epochs": 2, **changes}
        return fit.fit(name, train, dev, folder=tmp_path, preset="smoke", overrides=changes)

    return make


def built(name: str, encoder: dict[str, Any], preset: str) -> Any:
    config = overrides.apply(catalog.config(name, preset), encoder)
    inputs = words.build(config.inputs, [], 0)
    return neural_ranker.build(catalog.TRAININGS[name].kind, config.network, inputs, 0)


def test_where_the_encoder_is_frozen_there_is_something_to_train(tiny):
    encoder = dict.fromkeys(("network.checkpoint", "inputs.checkpoint"), str(tiny("bert")))
    for name in (*VARIANTS, LATE, WIDE):
        network = built(name, encoder, "smoke")
        assert any(parameter.requires_grad for parameter in network.parameters()), name


def test_signs_rank_by_the_same_training(fitted, tmp_path):
    whole, binary = fitted("addax"), fitted(BINARY)
    assert [path.name for path in tmp_path.iterdir()] == ["addax"]
    assert isinstance(binary, NeuralRanker)
    assert binary.settings == replace(whole.settings, codes="sign")  # type: ignore[attr-defined]
    assert neural_ranker.fingerprint(binary.network) == neural_ranker.fingerprint(whole.network)  # type: ignore[attr-defined]
    asked = ["where is the apple?"], [["the apple is here", "a boat", "some cellar"]]
    assert binary.score(*asked)[0].tolist() != whole.score(*asked)[0].tolist()
    store.save(binary, tmp_path / "kept")
    assert store.load(tmp_path / "kept") == binary


def test_constraints_are_recorded_every_epoch(fitted, tmp_path):
    fitted("addax")
    reports = json.loads((tmp_path / "addax" / fit.HISTORY).read_text())["objective_statistics"]
    assert [report["epoch"] for report in reports] == [1, 2]
    assert all(report["quantization"] > 0 and report["reconstruction"] > 0 for report in reports)


def test_the_control_of_size_has_as_many_weights_as_addax(small_encoder):
    needs_minilm()
    counts = {}
    for name in ("addax", WIDE, LATE):
        network = built(name, small_encoder(name, layers=1), "cpu")
        counts[name] = sum(parameter.numel() for parameter in network.parameters() if parameter.requires_grad)
    assert counts[LATE] == 147_456
    assert counts[WIDE] == pytest.approx(counts["addax"], rel=0.01)
