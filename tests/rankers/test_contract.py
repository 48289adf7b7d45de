"""What every ranker promises: it follows from its seed, can learn, and scores alike in any batch and order."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankers
from rankers.models import neural_ranker, store
from rankers.models.combinations import Committee
from rankers.models.minilm import MiniLmBiEncoder, MiniLmHybrid, MiniLmMaxSim
from rankers.models.neural_ranker import NeuralRanker
from rankers.modules import scoring
from rankers.systems import catalog
from rankers.systems.fit import fit
from rankers.training.definitions import Trained, Untrained
from rankers.training.sampling import with_positives
from rankers.types import Questions, Ranker
from tests.rankers.promises import assert_same, check_promises, few, texts_of
from tests.rankers.small_minilm import needs_minilm

torch = pytest.importorskip("torch")

TRANSFERS = [name for name, training in catalog.TRAININGS.items() if training.transfers]

STARTS = {name: training.start for name, training in catalog.TRAININGS.items() if name not in TRANSFERS}

PLAIN = [name for name, start in STARTS.items() if start in ("", *TRANSFERS)]  # under "smoke" there is no transfer

FURTHER = [name for name in STARTS if name not in PLAIN]

# One per kind of network; `make test-slow` tests every combination of their parts.
QUICK = """match-pyramid dmn man qa-lstm-multihop-mlp ctrn-pointwise iggsa-multihop scan addax late-interaction
    hybrid""".split()

# Words and their vectors, an encoder below a network, and an encoder of pairs with an objective of its own.
QUICK_AGAIN = "match-pyramid iggsa-multihop scan hybrid".split()  # trained twice

QUICK_LEARNING = "match-pyramid dmn late-interaction".split()  # trained until ten questions are learned

# Every source of negatives, with one K or two.
FURTHER_QUICK = "match-pyramid-adv match-pyramid-dns match-pyramid-adv-k5 match-pyramid-ckpt".split()

ALIKE = [name for name in PLAIN if name not in QUICK]

BASELINES = {name: system for name in catalog.SYSTEMS if isinstance(system := catalog.system(name), Untrained)}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name.startswith("minilm") else []) for name in BASELINES]
)
def test_a_baseline_keeps_the_promises(name, ten_questions):
    if name.startswith("minilm"):
        needs_minilm()
    ranker, again = (BASELINES[name].make(few(ten_questions, 2, 8), 0) for _ in range(2))
    assert ranker == again
    assert ranker.signature == again.signature
    check_promises(ranker, few(ten_questions, 2))


@pytest.mark.parametrize("kind", [MiniLmBiEncoder, MiniLmMaxSim, MiniLmHybrid])
def test_an_encoder_keeps_the_promises(kind, ten_questions, tiny):
    check_promises(kind(str(tiny("bert", positions=512))), few(ten_questions, 2))


def test_every_system_has_settings_for_every_preset():
    for name in catalog.TRAININGS:
        for preset in catalog.PRESETS:
            recipe = catalog.config(name, preset).recipe
            assert recipe.epochs > 0
            assert math.isfinite(recipe.learning_rate)


TRAINED, AGAIN, LEARNING = (
    [pytest.param(name, marks=[] if name in quick else [pytest.mark.slow]) for name in PLAIN]
    for quick in (QUICK, QUICK_AGAIN, QUICK_LEARNING)
)

OVERRIDES = {"epochs": 40, "patience": 4, "negatives": 4, "batch_size": 4, "learning_rate": 2e-3}
OVERRIDES |= {"warmup_ratio": 0.0, "limit": 0, "dev_limit": 0}
OF_ENCODERS = {
    "scan": {"epochs": 1, "batch_size": 16, "answer_length": 24},
    "addax": {"epochs": 12, "patience": 3},
    "late-interaction": {"epochs": 30},
    "hybrid": {"epochs": 30},
}

UNTIL_LEARNED = {  # by an encoder of pairs
    **{"epochs": 12, "patience": 0, "batch_size": 16, "answer_length": 24, "warmup_ratio": 0.1, "learning_rate": 3e-4},
    **{"network.frozen": 3, "dev_measure": "P@1"},
}

ATOL = {"scan": 2e-5}  # a batch of pairs goes through it as one padded text: sums of other shapes, other last digits

PATIENT = {"patience": 8, "learning_rate": 1e-3}  # the loss of a pointwise system ranks only later

LONGER = {"epochs": 80, "patience": 20, "learning_rate": 1e-3}  # some of those that are slow tests learn slowly too


@pytest.fixture(scope="session")
def trained(ten_questions, small_encoder, tmp_path_factory):
    """``trained("ggsa")`` is a ranker that was trained on four questions for an epoch, or on ten ``until_learned``, and
    what it was trained on, with damaged labels if the system damages them.

    It is trained once per seed and place of a session.
    """
    folder = tmp_path_factory.mktemp("trained")
    rankers_by_folder: dict[Path, tuple[Ranker, Questions]] = {}

    def train(name, *, until_learned=False, seed=0, place="first"):
        kind = catalog.TRAININGS[name].kind
        is_longer = until_learned and kind == "scan"
        of_kind = UNTIL_LEARNED if is_longer else OF_ENCODERS.get(kind, {})
        output = folder / f"{name}-{until_learned}-{seed}-{place}"
        if output not in rankers_by_folder:
            overrides = {**OVERRIDES, **(PATIENT if "pointwise" in name else {}), **(LONGER if name in ALIKE else {})}
            overrides = small_encoder(name, layers=6 if is_longer else 2 + until_learned) | overrides | of_kind
            overrides |= {} if until_learned else {"epochs": 1}
            read = ten_questions if until_learned else few(ten_questions, 4, 8)
            dev = damaged(name, read) if is_longer else read  # damaged labels can only be memorized
            settings: dict[str, Any] = {"folder": output, "preset": "smoke", "seed": seed, "overrides": overrides}
            ranker = fit(name, read, dev, **settings)
            rankers_by_folder[output] = ranker, dev
        return rankers_by_folder[output]

    return train


def damaged(name: str, questions: Questions) -> Questions:
    """Return the questions with the labels that the training of this name reads."""
    damage = catalog.config(name, "smoke", questions.corpus).damage
    return with_positives(questions) if damage is None else damage.done(with_positives(questions))


def precision_at_1(ranker: Ranker, questions: Questions) -> float:
    scores = ranker.score(*texts_of(questions))
    top = [question.candidates[int(s.argmax())] for question, s in zip(questions, scores, strict=True)]
    return float(np.mean([questions.is_relevant(candidate) for candidate in top]))


@pytest.mark.parametrize("name", LEARNING)
def test_ten_questions_are_overfitted(name, trained):
    ranker, questions = trained(name, until_learned=True)
    assert precision_at_1(ranker, with_positives(questions)) >= 0.9


@pytest.mark.parametrize("name", TRAINED)
def test_a_trained_ranker_keeps_the_promises(name, trained):
    ranker, questions = trained(name)
    check_promises(ranker, few(questions), atol=ATOL.get(catalog.TRAININGS[name].kind, 2e-6))


@pytest.mark.parametrize("name", AGAIN)
def test_one_seed_gives_one_ranker_and_another_seed_another(name, trained):
    first = trained(name)[0]
    assert trained(name, place="again")[0].signature == first.signature
    if name in ("match-pyramid", "iggsa-multihop"):  # a table of word vectors, and an encoder of its own
        assert trained(name, seed=1)[0].signature != first.signature


@pytest.mark.parametrize("name", TRAINED)
def test_batches_of_any_size_give_the_same_scores(name, trained):
    ranker, questions = trained(name)
    assert isinstance(ranker, neural_ranker.NeuralRanker)
    texts, pools = texts_of(few(questions))
    answers = [answer for pool in pools for answer in pool]
    encoded = scoring.encode(ranker.inputs.vocabulary, texts, answers, ranker.lengths)
    rows = np.repeat(np.arange(len(texts)), [len(pool) for pool in pools]), np.arange(len(answers))
    whole = scoring.scores(ranker.network, encoded, *rows)
    for batch_words in (1, 64):
        scores = scoring.scores(ranker.network, encoded, *rows, batch_words)
        np.testing.assert_allclose(scores, whole, rtol=1e-6, atol=ATOL.get(ranker.kind, 2e-6))


@pytest.mark.parametrize("name", TRAINED)
def test_what_is_saved_and_loaded_scores_the_same(name, trained, tmp_path):
    ranker, questions = trained(name)
    assert isinstance(ranker, neural_ranker.NeuralRanker)
    store.save(ranker, tmp_path / "saved")
    loaded = rankers.load(tmp_path / "saved")
    assert loaded.signature == ranker.signature
    assert loaded == ranker
    assert_same(loaded.score(*texts_of(questions)), ranker.score(*texts_of(questions)), "loading changed a score")


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
