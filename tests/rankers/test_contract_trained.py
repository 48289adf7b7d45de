"""What every trained ranker promises: it can learn, follows from its seed, and scores alike in any batch and order."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import rankers
from rankers.models import neural_ranker, store
from rankers.modules import scoring
from rankers.systems import catalog
from rankers.systems.fit import fit
from rankers.training.sampling import with_positives
from rankers.types import Questions, Ranker
from tests.rankers.promises import assert_same, check_promises, few, texts_of
from tests.rankers.trainings import ALIKE, PLAIN, QUICK, QUICK_AGAIN, QUICK_LEARNING

torch = pytest.importorskip("torch")

TRAINED, AGAIN, LEARNING = (
    [pytest.param(name, marks=[] if name in quick else [pytest.mark.slow]) for name in PLAIN]
    for quick in (QUICK, QUICK_AGAIN, QUICK_LEARNING)
)

OVERRIDES = {
    "epochs": 40,
    "patience": 4,
    "negatives": 4,
    "batch_size": 4,
    "learning_rate": 2e-3,
    "warmup_ratio": 0.0,
    "limit": 0,
    "dev_limit": 0,
}
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


class TrainedRanker(NamedTuple):
    """A ranker and what it was trained on, with damaged labels if the system damages them."""

    ranker: Ranker
    questions: Questions


@pytest.fixture(scope="session")
def trained(ten_questions, small_encoder, tmp_path_factory):
    """``trained("ggsa")`` was trained on four questions for an epoch, or on ten ``until_learned``.

    It is trained once per seed and place of a session.
    """
    folder = tmp_path_factory.mktemp("trained")
    rankers_by_folder: dict[Path, TrainedRanker] = {}

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
            rankers_by_folder[output] = TrainedRanker(ranker, dev)
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
    first = trained(name).ranker
    assert trained(name, place="again").ranker.signature == first.signature
    if name in ("match-pyramid", "iggsa-multihop"):  # a table of word vectors, and an encoder of its own
        assert trained(name, seed=1).ranker.signature != first.signature


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
