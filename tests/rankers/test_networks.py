"""Every kind of network is found by its name, built from its settings, and its settings survive JSON."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import pytest
import torch
from torch import nn

from rankers import networks


@pytest.mark.parametrize("kind", networks.KINDS)
@pytest.mark.parametrize("preset", ["paper", "cpu"])
def test_settings_go_into_json_and_back(kind: str, preset: str) -> None:
    settings = getattr(networks.config(kind), preset)()
    stated = json.loads(json.dumps(networks.to_dict(settings)))
    assert stated == networks.to_dict(settings)  # so that what was kept can be compared with what is meant
    assert networks.from_dict(kind, stated) == settings
    assert set(stated) == {each.name for each in fields(settings)}


@pytest.mark.parametrize("kind", networks.KINDS)
def test_a_network_is_built_and_takes_pairs_to_scores(kind: str, texts: Any, embedding: Any) -> None:
    from rankers.batch import Batch

    settings = networks.config(kind).cpu()
    network = networks.network(kind)(settings, embedding(getattr(settings, "dim", 8)))
    assert isinstance(network, nn.Module)
    batch = Batch(texts([3, 2]), texts([5, 1, 4], seed=1), torch.tensor([0, 1, 1, 0]), torch.tensor([0, 1, 2, 2]))
    scores = network.eval()(batch)
    assert (scores.shape, scores.dtype) == ((4,), torch.float32)
    assert scores.isfinite().all()


@pytest.mark.parametrize("ask", [networks.network, networks.config, lambda kind: networks.from_dict(kind, {})])
def test_an_unknown_kind_is_refused_with_the_nearest_one(ask: Any) -> None:
    with pytest.raises(LookupError, match="no network is called 'match-piramid'; did you mean 'match-pyramid'"):
        ask("match-piramid")


def test_a_setting_that_a_kind_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="match-pyramid has no setting heads; it has channels, dropout, grid"):
        networks.from_dict("match-pyramid", {"heads": 6})
