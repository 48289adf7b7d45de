"""Every kind of network is found by its name, built from its settings, and its settings survive JSON."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import pytest
from torch import nn

from answersim._base.io.records import to_json
from rankers.models import neural_ranker
from tests.cases import every

# Settings that each kind of network refuses.
OUT_OF_RANGE: dict[str, list[tuple[dict[str, Any], type[Exception], str]]] = {
    "match-pyramid": [
        ({"channels": ()}, ValueError, "at least 1"),
        ({"grid": (0, 3)}, ValueError, "at least 1"),
        ({"kernel": 4}, ValueError, "odd"),
    ],
    "dmn": [
        ({"hidden": 0}, ValueError, "at least 1"),
        ({"question_length": 4}, ValueError, "at least 5"),
    ],
    "man": [
        ({"attention": "sequentiel"}, LookupError, "did you mean 'sequential'"),
        ({"hops": -1}, ValueError, "hops is -1"),
        ({"hidden": 0}, ValueError, "hidden is 0, but it must be at least 1"),
    ],
    "qa-lstm": [
        ({"hidden": 0}, ValueError, "hidden is 0, but it must be at least 1"),
        ({"dropout": -0.1}, ValueError, "dropout is -0.1, but it must be between 0 and 1"),
        ({"hops": -1}, ValueError, "hops is -1"),
        ({"composition": "maximum"}, LookupError, "no composition is called 'maximum'; did you mean 'max'"),
        ({"similarity": "MLP"}, LookupError, "no similarity is called 'MLP'"),
    ],
    "ctrn": [
        ({"hidden": 0}, ValueError, "hidden is 0"),
        ({"width": 0}, ValueError, "width is 0"),
        ({"dropout": 2}, ValueError, "dropout"),
    ],
    "self-attention": [
        ({"heads": 7}, ValueError, "dim 300 is not a multiple of heads 7"),
        ({"heads": 0}, ValueError, "heads is 0, but it must be at least 1"),
        ({"group": 5}, ValueError, r"offsets are \(0, 5\), but they must be between 0 and group - 1, 4"),
        ({"offsets": ()}, ValueError, r"offsets are \(\)"),
        ({"reach": -1}, ValueError, "reach is -1"),
        ({"attention": "groups"}, LookupError, "no attention is called 'groups'; did you mean 'group'"),
        ({"composition": "sum"}, LookupError, "no composition is called 'sum'"),
        ({"similarity": "dot"}, LookupError, "no similarity is called 'dot'"),
        ({"dropout": 1.5}, ValueError, "dropout is 1.5, but it must be between 0 and 1"),
    ],
    "scan": [
        ({"pooler": "checkpoints"}, LookupError, "did you mean 'checkpoint'"),
        ({"dropout": 1.0}, ValueError, "dropout is 1.0"),
        ({"max_length": 4}, ValueError, "max_length is 4, but it must be at least 5"),
        ({"detector_dim": -1}, ValueError, "detector_dim is -1"),
        ({"frozen": -1}, ValueError, "frozen is -1"),
    ],
    "addax": [
        ({"codes": "sgn"}, LookupError, "'sgn'"),
        ({"start": "alined"}, LookupError, "did you mean 'aligned'"),
        ({"l2_reduction": "texts"}, LookupError, "did you mean 'text'"),
        ({"bits": 0}, ValueError, "bits is 0"),
        ({"question_length": 0}, ValueError, "question_length is 0"),
        ({"widths": (4,)}, ValueError, "must be the sizes of two layers"),
        ({"alpha": 0.0}, ValueError, "alpha is 0.0"),
        ({"gamma": float("nan")}, ValueError, "gamma is nan"),
        ({"dropout": 1.0}, ValueError, "dropout is 1.0"),
        ({"attention_only": True, "use_mag": False}, ValueError, "use_mag=False removes the cells: choose one"),
        ({"codes": "sign", "use_hashing": False}, ValueError, "use_hashing=False removes them: choose one"),
    ],
    "late-interaction": [
        ({"project": -1}, ValueError, "project is -1"),
        ({"unfrozen_layers": -1}, ValueError, "unfrozen_layers is -1"),
        ({"dropout": 1.0}, ValueError, "dropout is 1.0"),
        ({"answer_length": 0}, ValueError, "answer_length is 0"),
    ],
    "hybrid": [
        ({"unfrozen_layers": 0}, ValueError, "unfrozen_layers is 0"),
        ({"lora_r": 0}, ValueError, "lora_r is 0"),
        ({"late": -1.0}, ValueError, "late is -1.0"),
        ({"scale": 0.0}, ValueError, "scale is 0.0"),
        ({"answer_length": 0}, ValueError, "answer_length is 0"),
    ],
}


@pytest.mark.parametrize("kind", neural_ranker.KINDS)
@pytest.mark.parametrize("preset", ["paper", "cpu"])
def test_settings_go_into_json_and_back(kind, preset):
    settings = neural_ranker.config(kind).preset(preset)
    stated = json.loads(json.dumps(to_json(settings)))
    assert stated == to_json(settings)  # so that what was kept can be compared with what is meant
    assert neural_ranker.from_json(kind, stated) == settings
    assert set(stated) == {field.name for field in fields(settings)}


@every("ask", [neural_ranker.network, neural_ranker.config, lambda kind: neural_ranker.from_json(kind, {})])
def test_an_unknown_kind_is_refused_with_the_nearest_one(ask):
    with pytest.raises(LookupError, match="no network is called 'match-piramid'; did you mean 'match-pyramid'"):
        ask("match-piramid")


def test_a_setting_that_a_kind_does_not_have_is_refused():
    with pytest.raises(ValueError, match=r"match-pyramid has no field .heads.; it has channels, dropout, grid"):
        neural_ranker.from_json("match-pyramid", {"heads": 6})


def test_a_network_without_such_parts_ranks_as_it_is():
    network, settings = nn.Linear(1, 1), neural_ranker.config("man").preset("cpu")
    assert neural_ranker.plain("man", network, settings, None) == (network, settings)  # type: ignore[arg-type]
    assert not neural_ranker.adopts("man")


@pytest.mark.parametrize("kind", neural_ranker.KINDS)
def test_a_setting_out_of_its_range_is_an_error(kind):
    for settings, error, message in OUT_OF_RANGE[kind]:
        with pytest.raises(error, match=message):
            neural_ranker.config(kind)(**settings)
