"""EVERY system that has a name: what it is built of, how it is trained, and what of its training ranks."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from answersim.errors import unknown
from rankers.systems import addax, scan
from rankers.systems.definitions import Plan, System, Trained, Training, Untrained

if TYPE_CHECKING:
    from rankers.types import Questions, Ranker

__all__ = ["PRESETS", "SYSTEMS", "TRAININGS", "Plan", "System", "Trained", "Training", "Untrained"]

PRESETS = ("smoke", "cpu", "paper")


def names() -> list[str]:
    """All systems, baselines first."""
    return list(SYSTEMS)


def system(name: str) -> System:
    """The system of this name.

    Raises:
        LookupError: There is none; names what was asked for and what is near it.
    """
    if not isinstance(name, str) or name not in SYSTEMS:
        raise unknown("ranker", name, SYSTEMS)
    return SYSTEMS[name]


def sweeps() -> dict[str, dict[float, str]]:
    """The systems of every sweep: by the setting, a system for each of its values, the published value among them."""
    from rankers.systems import ggsa

    of_ggsa = {f"GGSA, {setting}": by_value for setting, by_value in ggsa.SWEEPS.items()}
    of_addax = {f"ADDAX, {setting}": by_value for setting, by_value in addax.sweeps().items()}
    return of_ggsa | of_addax | {"SCAN, rate of the weights": scan.sweep()}


def plan(training: str, preset: str, corpus: str = "") -> Plan:
    """The settings of a training under a preset; those for a corpus, where what was published differs by corpus.

    Raises:
        LookupError: No training or preset has this name.
    """
    if preset not in PRESETS:
        raise unknown("preset", preset, PRESETS)
    if training not in TRAININGS:
        raise unknown("training", training, TRAININGS)
    known = TRAININGS[training]
    made = known.plan(preset)
    return made if known.of_corpus is None else known.of_corpus(made, corpus)


# --- baselines -------------------------------------------------------------------------------------------------------


def _random(questions: Questions | None, seed: int) -> Ranker:
    from rankers.models.random_order import RandomOrder

    return RandomOrder(seed)


def _overlap(questions: Questions | None, seed: int) -> Ranker:
    from rankers.models.word_overlap import WordOverlap

    return WordOverlap()


def _bm25(questions: Questions | None, seed: int) -> Ranker:
    from rankers.models.bm25 import Bm25

    if questions is None:
        raise ValueError("bm25 counts words in the training answers: give it training questions, as rankers.fit does")
    return Bm25.fit([candidate.text for question in questions for candidate in question.candidates])


def _bi_encoder(questions: Questions | None, seed: int) -> Ranker:
    from rankers.models.minilm import MiniLmBiEncoder

    return MiniLmBiEncoder()


def _max_sim(questions: Questions | None, seed: int) -> Ranker:
    from rankers.models.minilm import MiniLmMaxSim

    return MiniLmMaxSim()


BASELINES: dict[str, System] = {
    "random": Untrained(_random, "", "a random order, by a hash of seed, question and candidate"),
    "word-overlap": Untrained(_overlap, "", "the share of the question's words that the candidate has"),
    "bm25": Untrained(_bm25, "word counts", "BM25 with the word counts of the training answers"),
    "minilm-biencoder": Untrained(_bi_encoder, "", "cosine of all-MiniLM-L6-v2's vectors, not trained further"),
    "minilm-maxsim": Untrained(_max_sim, "", "MaxSim over all-MiniLM-L6-v2's token states, not trained further"),
}

# --- the adversarial committee ---------------------------------------------------------------------------------------

_COMMITTEE = "On Committee Representations of Adversarial Learning Models for Question-Answer Ranking (2019)"
_MEMBERS = {"match-pyramid": "Match Pyramid", "dmn": "Deep Matching Net", "man": "Multihop Attention Network"}


def _committee_plan(kind: str, phase: str, preset: str) -> Plan:
    """The settings of one of the three networks in a phase: "plain", "adv", "ckpt" or "dns"."""
    from rankers.inputs.words import Inputs
    from rankers.models import networks
    from rankers.training.adversarial import Adversary
    from rankers.training.recipe import Recipe

    is_cosine = kind == "man"
    config = networks.config(kind)
    margin = 0.2 if is_cosine else 1.0
    recipe = Recipe(
        epochs={"smoke": 2, "cpu": 12, "paper": 30}[preset],
        batch_size={"smoke": 8, "cpu": 32, "paper": 32}[preset],
        margin=margin,
        learning_rate=1e-3,
        decay=1e-5,
        patience=0 if preset == "smoke" else 4,
        question_length=20,
        answer_length=150 if preset == "paper" else 50,
        dev_measure="MRR",
        limit=24 if preset == "smoke" else 0,
        dev_limit=24 if preset == "smoke" else 0,
    )
    settings = config.paper() if preset == "paper" else config.cpu()
    made = Plan(settings, Inputs(), recipe)
    if phase == "plain":
        return made
    epochs = {"smoke": 3, "cpu": 9, "paper": 12}[preset]
    rate = recipe.learning_rate * (0.3 if preset != "paper" else 0.5)
    further = replace(recipe, epochs=epochs, patience=0, keep="last", learning_rate=rate)
    pool = {"smoke": 4, "cpu": 16, "paper": 100}[preset]
    adversary = Adversary(
        pool=pool,
        samples=3 if preset == "smoke" else 5,
        temperature=0.05 if is_cosine else 1.0,
        margin=margin,
        learning_rate=rate / 10,
        units=0 if preset == "paper" else 256,
    )
    return replace(
        made,
        recipe=further,
        pool=pool,
        adversary=adversary if phase == "adv" else None,
        every=3,
        calibration="none" if is_cosine else "question",
    )


def _phase(kind: str, phase: str) -> Training:
    negatives = {"adv": "adversarial", "dns": "hardest"}.get(phase, "sampled")
    return Training(kind, partial(_committee_plan, kind, phase), "" if phase == "plain" else kind, negatives)


def _committee_systems() -> dict[str, System]:
    found: dict[str, System] = {}
    for kind, title in _MEMBERS.items():
        adversarial, ordinary = f"{kind}-adv", f"{kind}-ckpt"
        found |= {
            kind: Trained(kind, "model", title, _COMMITTEE),
            f"{kind}-adv": Trained(adversarial, "model", f"{title}, trained on against a generator", _COMMITTEE),
            f"{kind}-adv-generator": Trained(adversarial, "generator", f"the generator against {title}"),
            f"{kind}-advcom": Trained(
                adversarial, "committee", f"committee of {title}'s adversarial states", _COMMITTEE
            ),
            f"{kind}-advcom-uniform": Trained(adversarial, "uniform", "the same with equal weights"),
            f"{kind}-best-checkpoint": Trained(adversarial, "best-member", "its member that is best on dev"),
            f"{kind}-ckpt": Trained(ordinary, "model", f"{title}, trained on for as long with ordinary negatives"),
            f"{kind}-ckpt-committee": Trained(ordinary, "committee", "committee of its states: nothing adversarial"),
            f"{kind}-dns": Trained(f"{kind}-dns", "model", f"{title}, trained on with the hardest of a pool"),
        }
    return found


# --- GGSA ------------------------------------------------------------------------------------------------------------

_GGSA = "Gated Group Self-Attention for Answer Selection (2019)"
_POINTWISE = "-pointwise"


def _ggsa_plan(name: str, loss: str, preset: str) -> Plan:
    """The settings of a system of the GGSA paper, trained by the pairwise or the pointwise loss."""
    from rankers.inputs.words import Inputs
    from rankers.systems import ggsa
    from rankers.training.recipe import Recipe

    size = "paper" if preset == "paper" else "cpu"
    system = ggsa.sweep(size=size).get(name) or ggsa.system(name, size=size, loss=loss)
    is_pairwise = loss == "pairwise"
    words = Inputs(project=system.dim)
    recipe = Recipe(
        epochs={"smoke": 2, "cpu": 8}.get(preset, 60),
        batch_size={"smoke": 8, "cpu": 32}.get(preset, 128 if is_pairwise else 256),
        loss="hinge" if is_pairwise else "pointwise",
        margin=0.1,
        negatives=1 if is_pairwise else 4,
        learning_rate=1e-3,
        warm_up=0.05,
        patience=0 if preset == "smoke" else 4,
        question_length=30,
        answer_length=50,
        dev_measure="P@1" if is_pairwise else "MRR",
        limit=24 if preset == "smoke" else 0,
        dev_limit=24 if preset == "smoke" else 0,
    )
    if preset == "paper":
        length = 200 if is_pairwise else 50
        recipe = replace(
            recipe,
            optimizer="rmsprop",
            learning_rate=1e-4,
            warm_up=0.0,
            question_length=length,
            answer_length=length,
        )
        if is_pairwise:  # insuranceQA: vectors learned from its texts, and trained further
            words = Inputs("corpus", size=system.dim, at_least=1, trainable=True)
    return Plan(system.config, words, recipe)


def _ggsa_kind(name: str) -> str:
    return "ctrn" if name == "ctrn" else "qa-lstm" if name.startswith(("qa-lstm", "ap-lstm")) else "self-attention"


def _ggsa_trainings() -> dict[str, Training]:
    from rankers.systems import ggsa

    found = {}
    for name in (*ggsa.names(), *ggsa.SWEPT):
        for suffix, loss in (("", "pairwise"), (_POINTWISE, "pointwise")):
            if (suffix and name in ggsa.SWEPT) or name in ggsa.PUBLISHED:
                continue
            found[name + suffix] = Training(_ggsa_kind(name), partial(_ggsa_plan, name, loss))
    return found


def _ggsa_systems() -> dict[str, System]:
    from rankers.systems import ggsa

    trained = {name: name for name in _ggsa_trainings()} | dict.fromkeys(ggsa.PUBLISHED, "ggsa")
    return {
        name: Trained(training, "model", "as the GGSA paper has it, " + _said_of(name), _GGSA)
        for name, training in trained.items()
    }


def _said_of(name: str) -> str:
    return "pointwise loss" if name.endswith(_POINTWISE) else "pairwise loss"


TRAININGS: dict[str, Training] = {}
for _kind in _MEMBERS:
    TRAININGS[_kind] = _phase(_kind, "plain")
    for _name in ("adv", "ckpt", "dns"):
        TRAININGS[f"{_kind}-{_name}"] = _phase(_kind, _name)
TRAININGS |= _ggsa_trainings() | scan.trainings() | addax.trainings()

SYSTEMS: dict[str, System] = {
    **BASELINES,
    **_committee_systems(),
    **_ggsa_systems(),
    **scan.systems(),
    **addax.systems(),
}
