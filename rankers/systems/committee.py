"""The systems of the committee paper: three networks, alone and against a generator, and their committees."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from rankers.systems.definitions import System, Trained, Training, TrainingConfig

PAPER = "On Committee Representations of Adversarial Learning Models for Question-Answer Ranking (2019)"
NETWORKS = {"match-pyramid": "Match Pyramid", "dmn": "Deep Matching Net", "man": "Multihop Attention Network"}
PHASES = ("plain", "adv", "ckpt", "dns")
# Equations 3 and 4 have one K for both networks, which is 5 here: five negatives per positive for the discriminator,
# and a generator that moves (all positives, a baseline, a higher rate). All three choose the epoch by dev, as the plain
# network does, so that they differ in the source of the negatives only.
K = 5
EQUAL_K = {f"{phase}-k5": phase for phase in ("adv", "ckpt", "dns")}
FORGETTING = 200  # positives whose adversarial examples are ranked again after every later epoch
# Of each network: the end of the name of the system, the end of the name of its training, the part of the training that
# ranks, the description, and whether it is a system of the paper.
SYSTEMS: tuple[tuple[str, str, str, str, bool], ...] = (
    ("", "", "model", "{}", True),
    ("-adv", "-adv", "model", "{}, trained further against a generator", True),
    ("-adv-generator", "-adv", "generator", "the generator that {} was trained against", False),
    ("-advcom", "-adv", "committee", "committee of the adversarial states of {}", True),
    ("-advcom-uniform", "-adv", "uniform", "committee of the adversarial states of {}, equal weights", False),
    ("-best-checkpoint", "-adv", "best-member", "the adversarial state of {} that is best on dev", False),
    ("-ckpt", "-ckpt", "model", "{}, trained for as long with ordinary negatives", False),
    ("-ckpt-committee", "-ckpt", "committee", "committee of the ordinary states of {}", False),
    ("-dns", "-dns", "model", "{}, trained further with the hardest negatives of a pool", False),
    ("-adv-best", "-adv", "best-epoch", "{} against a generator, at its best epoch on dev", True),
    ("-adv-k5", "-adv-k5", "model", f"{{}} against a generator, K = {K} for both networks", True),
    ("-advcom-k5", "-adv-k5", "committee", f"committee of the states of {{}}, K = {K}", True),
    ("-ckpt-k5", "-ckpt-k5", "model", f"{{}}, trained further with {K} ordinary negatives", False),
    ("-dns-k5", "-dns-k5", "model", f"{{}}, trained further with the {K} hardest negatives of a pool", False),
)


def trainings() -> dict[str, Training]:
    """Return every training by its name."""
    return {
        kind if phase == "plain" else f"{kind}-{phase}": _phase(kind, phase)
        for kind in NETWORKS
        for phase in (*PHASES, *EQUAL_K)
    }


def systems() -> dict[str, System]:
    """Return every system by its name."""
    return {
        kind + end: Trained(kind + training, part, text.format(title), PAPER if is_published else "")
        for kind, title in NETWORKS.items()
        for end, training, part, text, is_published in SYSTEMS
    }


def _config(kind: str, phase: str, preset: str) -> TrainingConfig:
    """Return the settings of one of the three networks in a phase, one of ``PHASES`` or ``EQUAL_K``."""
    from rankers.inputs.words import InputConfig
    from rankers.models import networks
    from rankers.training.adversarial import Adversary
    from rankers.training.recipe import Recipe

    is_cosine = kind == "man"
    network_config = networks.config(kind)
    margin = 0.2 if is_cosine else 1.0
    recipe = Recipe(
        epochs={"smoke": 2, "cpu": 12, "paper": 30}[preset],
        batch_size={"smoke": 8, "cpu": 32, "paper": 32}[preset],
        margin=margin,
        learning_rate=1e-3,
        weight_decay=1e-5,
        patience=0 if preset == "smoke" else 4,
        question_length=20,
        answer_length=150 if preset == "paper" else 50,
        dev_measure="MRR",
        limit=24 if preset == "smoke" else 0,
        dev_limit=24 if preset == "smoke" else 0,
    )
    settings = network_config.paper() if preset == "paper" else network_config.cpu()
    config = TrainingConfig(settings, InputConfig(), recipe)
    if phase == "plain":
        return config
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
        pairs=0 if preset == "paper" else 256,
    )
    negatives = EQUAL_K.get(phase, phase)
    if phase in EQUAL_K:
        further = replace(further, negatives=2 if preset == "smoke" else K, keep="best")
        adversary = replace(adversary, samples=further.negatives, baseline="mean", learning_rate=rate, pairs=0)
    return replace(
        config,
        recipe=further,
        pool=pool,
        adversary=adversary if negatives == "adv" else None,
        every=3,
        calibration="none" if is_cosine else "question",
        forgetting=FORGETTING if phase == "adv-k5" else 0,
    )


def _phase(kind: str, phase: str) -> Training:
    negatives = {"adv": "adversarial", "dns": "hardest"}.get(EQUAL_K.get(phase, phase), "sampled")
    return Training(kind, partial(_config, kind, phase), "" if phase == "plain" else kind, negatives)
