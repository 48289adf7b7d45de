"""Every kind of network is found by its name, built from its settings, and its settings survive JSON."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

import pytest
import torch
from torch import nn

from answersim.io.records import to_json
from rankers.inputs import words as words_
from rankers.models import networks


@pytest.mark.parametrize("kind", networks.KINDS)
@pytest.mark.parametrize("preset", ["paper", "cpu"])
def test_settings_go_into_json_and_back(kind: str, preset: str) -> None:
    settings = getattr(networks.config(kind), preset)()
    stated = json.loads(json.dumps(to_json(settings)))
    assert stated == to_json(settings)  # so that what was kept can be compared with what is meant
    assert networks.from_json(kind, stated) == settings
    assert set(stated) == {field.name for field in fields(settings)}


@pytest.mark.parametrize("kind", networks.KINDS)
def test_a_network_is_built_and_takes_pairs_to_scores(kind: str, texts: Any, embedding: Any, tiny: Any) -> None:
    from rankers.inputs.batch import Batch

    settings = networks.config(kind).cpu()
    words = embedding(getattr(settings, "dim", 8))
    if hasattr(settings, "checkpoint"):  # it stands on an encoder, and reads its word pieces
        folder = str(tiny("bert"))
        shorter = {"scan": {"max_length": 40, "frozen": 1}, "hybrid": {"question_length": 40, "answer_length": 40}}.get(
            kind, {}
        )
        settings = replace(settings, checkpoint=folder, **shorter)
        words = words_.build(words_.InputConfig(checkpoint=folder), []).embedding()
    network = networks.network(kind)(settings, words)
    assert isinstance(network, nn.Module)
    batch = Batch(texts([3, 2]), texts([5, 1, 4], seed=1), torch.tensor([0, 1, 1, 0]), torch.tensor([0, 1, 2, 2]))
    scores = network.eval()(batch)
    assert (scores.shape, scores.dtype) == ((4,), torch.float32)
    assert scores.isfinite().all()


@pytest.mark.parametrize("ask", [networks.network, networks.config, lambda kind: networks.from_json(kind, {})])
def test_an_unknown_kind_is_refused_with_the_nearest_one(ask: Any) -> None:
    with pytest.raises(LookupError, match="no network is called 'match-piramid'; did you mean 'match-pyramid'"):
        ask("match-piramid")


def test_a_setting_that_a_kind_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match=r"match-pyramid has no field .heads.; it has channels, dropout, grid"):
        networks.from_json("match-pyramid", {"heads": 6})


def test_what_only_training_reads_is_taken_out_of_what_ranks(tiny: Any) -> None:
    folder = str(tiny("bert"))
    inputs = words_.build(words_.InputConfig(checkpoint=folder), [])
    settings = replace(networks.config("scan").cpu(), checkpoint=folder, max_length=40, frozen=1)
    trained = networks.network("scan")(settings, inputs.embedding())
    made, config = networks.plain("scan", trained, settings, inputs.embedding())
    assert (networks.adopts("scan"), config.debias, made.config) == (True, False, config)
    assert not any("debias" in name for name in made.state_dict())


def test_a_network_without_such_parts_ranks_as_it_is() -> None:
    network, settings = nn.Linear(1, 1), networks.config("man").cpu()
    assert networks.plain("man", network, settings, None) == (network, settings)  # type: ignore[arg-type]
    assert not networks.adopts("man")
