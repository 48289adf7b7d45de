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


def trainings() -> dict[str, Training]:
    """Return every training by its name."""
    return {
        kind if phase == "plain" else f"{kind}-{phase}": _phase(kind, phase)
        for kind in NETWORKS
        for phase in (*PHASES, *EQUAL_K)
    }


def systems() -> dict[str, System]:
    """Return every system by its name."""
    named: dict[str, System] = {}
    for kind, title in NETWORKS.items():
        adversarial, ordinary = f"{kind}-adv", f"{kind}-ckpt"
        named |= {
            kind: Trained(kind, "model", title, PAPER),
            f"{kind}-adv": Trained(adversarial, "model", f"{title}, trained further against a generator", PAPER),
            f"{kind}-adv-generator": Trained(
                adversarial, "generator", f"the generator that {title} was trained against"
            ),
            f"{kind}-advcom": Trained(
                adversarial, "committee", f"committee of the adversarial states of {title}", PAPER
            ),
            f"{kind}-advcom-uniform": Trained(
                adversarial, "uniform", f"committee of the adversarial states of {title}, equal weights"
            ),
            f"{kind}-best-checkpoint": Trained(
                adversarial, "best-member", f"the adversarial state of {title} that is best on dev"
            ),
            f"{kind}-ckpt": Trained(ordinary, "model", f"{title}, trained for as long with ordinary negatives"),
            f"{kind}-ckpt-committee": Trained(ordinary, "committee", f"committee of the ordinary states of {title}"),
            f"{kind}-dns": Trained(
                f"{kind}-dns", "model", f"{title}, trained further with the hardest negatives of a pool"
            ),
            f"{kind}-adv-best": Trained(
                adversarial, "best-epoch", f"{title} against a generator, at its best epoch on dev", PAPER
            ),
            f"{kind}-adv-k5": Trained(
                f"{kind}-adv-k5", "model", f"{title} against a generator, K = {K} for both networks", PAPER
            ),
            f"{kind}-advcom-k5": Trained(
                f"{kind}-adv-k5", "committee", f"committee of the states of {title}, K = {K}", PAPER
            ),
            f"{kind}-ckpt-k5": Trained(
                f"{kind}-ckpt-k5", "model", f"{title}, trained further with {K} ordinary negatives"
            ),
            f"{kind}-dns-k5": Trained(
                f"{kind}-dns-k5", "model", f"{title}, trained further with the {K} hardest negatives of a pool"
            ),
        }
    return named


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
        forgetting=FORGETTING if negatives == "adv" else 0,
    )


def _phase(kind: str, phase: str) -> Training:
    negatives = {"adv": "adversarial", "dns": "hardest"}.get(EQUAL_K.get(phase, phase), "sampled")
    return Training(kind, partial(_config, kind, phase), "" if phase == "plain" else kind, negatives)
