"""Questions and their fingerprint, and the settings of every network, training and ranker."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import pytest
from torch import nn

from answersim._base.io.records import to_json
from rankers.models import neural_ranker
from rankers.models.baselines import Bm25
from rankers.models.scan import ScanConfig
from rankers.modules.decorrelation import Reweighting
from rankers.modules.words import InputConfig
from rankers.papers.scan import Damage
from rankers.systems.encoders import recipe_of
from rankers.training.adversarial import Adversary
from rankers.training.trainer import Recipe
from rankers.types import Candidate, Question, Questions
from tests.cases import every

ONE = Question("q1", "who?", (Candidate("a", "Ann", 2), Candidate("b", "Bob", 1), Candidate("c", "Cid", 0)))
TWO = Question("q2", "where?", ())
QUESTIONS = Questions("made", "test", (ONE, TWO))


@pytest.mark.parametrize(("relevant", "expected"), [(1, [True, True, False]), (2, [True, False, False])])
def test_a_candidate_is_relevant_from_the_lowest_relevant_grade(relevant, expected):
    questions = replace(QUESTIONS, relevant=relevant)
    assert [questions.is_relevant(candidate) for candidate in ONE.candidates] == expected
    assert ([question.id for question in questions], len(questions)) == (["q1", "q2"], 2)


@every(
    "other",
    [
        replace(QUESTIONS, corpus="other"),
        replace(QUESTIONS, split="dev"),
        replace(QUESTIONS, relevant=2),
        replace(QUESTIONS, gains={2: 3}),
        replace(QUESTIONS, judged={"q1": {"z": 1}}),
        replace(QUESTIONS, items=(TWO, ONE)),
        replace(QUESTIONS, items=(ONE._replace(text="who"), TWO)),
        replace(QUESTIONS, items=(ONE._replace(candidates=ONE.candidates[::-1]), TWO)),
        replace(QUESTIONS, items=(ONE._replace(candidates=(Candidate("a", "Ann", 1), *ONE.candidates[1:])), TWO)),
    ],
)
def test_the_fingerprint_changes_with_what_can_change_a_measure(other):
    assert other.fingerprint != QUESTIONS.fingerprint


@every(
    "same",
    [
        replace(QUESTIONS, source="elsewhere"),
        replace(QUESTIONS, notes=("a note",)),
        replace(QUESTIONS, items=(ONE._replace(id="other"), TWO)),
    ],
)
def test_the_fingerprint_does_not_change_with_ids_and_notes(same):
    assert same.fingerprint == QUESTIONS.fingerprint
    assert len(same.fingerprint) == 12


BELOW_1 = ("batch_size", "negatives", "question_length", "answer_length", "learning_rate", "clip")
BELOW_0 = """epochs dev_limit patience limit micro_batch seed margin weight_decay warmup_ratio""".split()
NO_NUMBERS = ("margin", "weight_decay", "learning_rate", "clip", "warmup_ratio")
MAKERS: dict[str, Callable[..., Any]] = {
    **{kind: neural_ranker.config(kind) for kind in neural_ranker.KINDS},
    **{cls.__name__: cls for cls in (Adversary, Damage, InputConfig, Recipe, Reweighting, ScanConfig)},
    "Bm25": lambda **settings: Bm25.fit(["a text"], **settings),
    "EncoderRecipe": lambda **settings: recipe_of("cross-encoder", settings),
}
# Settings that each kind of network, training or ranker refuses.
OUT_OF_RANGE: dict[str, list[tuple[dict[str, Any], type[Exception], str]]] = {
    "match-pyramid": [
        ({"channels": ()}, ValueError, "at least 1"),
        ({"grid": (0, 3)}, ValueError, "at least 1"),
        ({"kernel": 4}, ValueError, "odd"),
    ],
    "dmn": [({"hidden": 0}, ValueError, "at least 1"), ({"question_length": 4}, ValueError, "at least 5")],
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
    "Recipe": [
        ({"loss": "hing"}, LookupError, "no loss is called 'hing'; did you mean 'hinge'"),
        ({"optimizer": "sgd"}, LookupError, "no optimizer is called 'sgd'"),
        ({"schedule": "cosine"}, LookupError, "no schedule is called 'cosine'"),
        ({"keep": "first"}, LookupError, "no keep is called 'first'"),
        ({"reads": "row"}, LookupError, "no reads is called 'row'; did you mean 'rows'"),
        ({"precision": "float16"}, LookupError, "no precision is called 'float16'"),
        *(({name: 0}, ValueError, f"^{name} is 0, but ") for name in BELOW_1),
        *(({name: -1}, ValueError, f"^{name} is -1, but ") for name in BELOW_0),
        *(({name: math.nan}, ValueError, f"^{name} is nan, but ") for name in NO_NUMBERS),
        ({"warmup_ratio": 1.0}, ValueError, "warmup_ratio is 1.0, but "),
        ({"reads": "rows"}, ValueError, "loss is 'hinge', but single rows have nothing to compare"),
        ({"batch_size": 8, "micro_batch": 9}, ValueError, "micro_batch is 9, but a step has batch_size 8"),
    ],
    "Adversary": [
        ({"baseline": "hinge"}, LookupError, "no baseline is called 'hinge'"),
        ({"baseline": "ema"}, LookupError, "no baseline is called 'ema'"),
        ({"k": 0}, ValueError, "k is 0, but it must be from 1 to the size of the pool, 100"),
        ({"k": 5, "pool": 4}, ValueError, "k is 5, but it must be from 1 to the size of the pool, 4"),
        ({"samples": 0}, ValueError, "samples is 0"),
        ({"samples": 1, "baseline": "mean"}, ValueError, "samples is 1, .* at least 2 for the baseline 'mean'"),
        ({"temperature": 0.0}, ValueError, r"temperature is 0\.0"),
        ({"temperature": float("nan")}, ValueError, "temperature is nan"),
        ({"learning_rate": 0.0}, ValueError, r"learning_rate is 0\.0"),
        ({"batch_size": 0}, ValueError, "batch_size is 0"),
        ({"pairs": -1}, ValueError, "pairs is -1"),
    ],
    "Reweighting": [
        ({"rff": "papers"}, LookupError, "did you mean 'paper'"),
        ({"epochb": 0}, ValueError, "epochb is 0, but it must be at least 1"),
        ({"num_f": 0}, ValueError, "num_f is 0"),
        ({"rows": 0}, ValueError, "rows is 0"),
        ({"lrbl": 0.0}, ValueError, "lrbl is 0.0, but it must be a number above 0"),
        ({"lambda_p": float("nan")}, ValueError, "lambda_p is nan"),
        ({"presave": 1.5}, ValueError, "presave is 1.5"),
    ],
    "InputConfig": [
        ({"source": "word2vec"}, LookupError, "no source is called 'word2vec'"),
        ({"size": 0}, ValueError, "size is 0, but it must be at least 1"),
        ({"at_least": 0}, ValueError, "at_least is 0, but it must be at least 1"),
        ({"project": -1}, ValueError, "project is -1, but it must be at least 0"),
    ],
    "Bm25": [
        ({"k1": -1.0}, ValueError, "k1 is -1.0"),
        ({"b": 1.5}, ValueError, "b is 1.5"),
        ({"k1": "1"}, TypeError, "k1 is '1'"),
    ],
    "EncoderRecipe": [
        ({"loss": "BinaryCrossEntropyLos"}, LookupError, "did you mean 'BinaryCrossEntropyLoss'"),
        ({"lr": 1e-3}, LookupError, "did you mean 'learning_rate'"),
        ({"epoch": 3}, LookupError, "did you mean 'epochs'"),
        ({"learning_rate": 0.0}, ValueError, "learning_rate is 0.0"),
        ({"epochs": "2"}, TypeError, "epochs is '2'"),
        ({"source": "mine"}, LookupError, "did you mean 'mined'"),
        ({"max_seq_length": 64}, LookupError, "did you mean 'max_length'"),
        ({"lora_r": -1}, ValueError, "lora_r is -1"),
        ({"loss": "ListNetLoss", "source": "mined"}, ValueError, "source=mined would be ignored"),
        ({"loss": "TripletLoss"}, LookupError, "no loss of a cross-encoder is called 'TripletLoss'"),
    ],
    "ScanConfig": [*(({"tau": tau}, ValueError, "but it must be a number above 0") for tau in (0.0, math.nan))],
    "Damage": [
        *(
            ({name: share}, ValueError, "is a share: at least 0, at most 1")
            for name in ("letters", "labels")
            for share in (-0.1, 1.1, math.nan)
        )
    ],
}


@pytest.mark.parametrize("kind", OUT_OF_RANGE)
def test_a_setting_out_of_its_range_is_an_error(kind):
    assert set(OUT_OF_RANGE) == set(MAKERS)
    for settings, error, message in OUT_OF_RANGE[kind]:
        with pytest.raises(error, match=message):
            MAKERS[kind](**settings)


def test_other_choices_that_do_not_exist_name_the_nearest_one():
    with pytest.raises(LookupError, match="did you mean 'wikiqa'"):
        ScanConfig.published("wikiq")
    assert Recipe(reads="rows", loss="pointwise").negatives == 1
    assert Reweighting() == Reweighting(lrbl=1e-3, epochb=20, num_f=5, lambda_p=0.01, decay_pow=2, rows=140)


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
