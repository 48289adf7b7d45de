"""The systems of the ADDAX paper: ADDAX, its variants (Table 3), its sweeps (Figure 4), and late interaction."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from rankers.systems.definitions import System, Trained, Training, TrainingConfig

if TYPE_CHECKING:
    from rankers.training.recipe import Recipe

PAPER = "Adaptive Feature Discrimination and Denoising for Asymmetric Text Matching"
LATE = "late-interaction"
# The control of the size of ADDAX: with a residual layer of 2,544 on each side late interaction has 4.06 million
# trained weights, as ADDAX has under the preset "cpu". Both start at about MaxSim over the encoder, with equal dropout.
WIDE, WIDE_RESIDUAL = "late-interaction-wide", 2544
# What each variant changes in the network. The last row's signs are for scoring only: it ranks by ADDAX's training.
VARIANTS: dict[str, tuple[dict[str, Any], str]] = {
    "addax": ({}, "ADDAX: which features a word shares with the other text, as almost binary codes"),
    "addax-wo-mags": ({"use_mag": False}, "ADDAX without its siamese cells"),
    "addax-wo-hw": ({"use_highway": False}, "ADDAX, the sum of both kinds of features instead of a highway"),
    "addax-wo-hd": ({"use_hashing": False}, "ADDAX without the hashing denoiser"),
    "addax-att-mags": ({"attention_only": True, "use_hashing": False}, "cross attention and nothing else"),
    "addax-att-mags-hd": ({"attention_only": True}, "cross attention and the hashing denoiser"),
}
BINARY = "addax-binary"
# Figure 4; the published settings themselves are ADDAX.
PUBLISHED = {"alpha": 5.0, "delta": 1e-6, "gamma": 0.003}
SWEEPS: dict[str, tuple[float, ...]] = {
    "alpha": (1.0, 3.0, 7.0, 10.0),
    "delta": (0.0, 3e-6, 5e-6, 1e-5),
    "gamma": (0.0, 0.001, 0.005, 0.01),
}


def trainings() -> dict[str, Training]:
    """Return every training by its name."""
    changes = {name: change for name, (change, _) in VARIANTS.items()} | swept()
    by_name = {
        name: Training("addax", partial(_config, change), of_corpus=_of_corpus) for name, change in changes.items()
    }
    for name in (LATE, WIDE):
        by_name[name] = Training("late-interaction", partial(_late, name), of_corpus=_of_corpus)
    return by_name


def systems() -> dict[str, System]:
    """Return every system by its name."""
    by_name: dict[str, System] = {
        name: Trained(name, "model", summary, PAPER) for name, (_, summary) in VARIANTS.items()
    }
    by_name[BINARY] = Trained(
        "addax", "signs", "ADDAX with the codes of answers rounded to signs, one bit per number", PAPER
    )
    for name, change in swept().items():
        ((setting, value),) = change.items()
        by_name[name] = Trained(name, "model", f"ADDAX at {setting} {value:g}", PAPER)
    by_name[LATE] = Trained(LATE, "model", "MaxSim over the token states of an encoder, trained", PAPER)
    by_name[WIDE] = Trained(WIDE, "model", "late interaction with the dropout of ADDAX, and as many trained weights")
    return by_name


def swept() -> dict[str, dict[str, Any]]:
    """Return what each system of the sweeps changes, by its name.

    >>> swept()["addax-alpha-3"]
    {'alpha': 3.0}
    """
    return {_swept(name, value): {name: value} for name, values in SWEEPS.items() for value in values}


def sweeps() -> dict[str, dict[float, str]]:
    """Return, by setting, the system of each of its values, ADDAX itself among them.

    >>> sweeps()["alpha"]
    {1.0: 'addax-alpha-1', 3.0: 'addax-alpha-3', 5.0: 'addax', 7.0: 'addax-alpha-7', 10.0: 'addax-alpha-10'}
    """
    return {
        name: {
            value: "addax" if value == PUBLISHED[name] else _swept(name, value)
            for value in sorted({*values, PUBLISHED[name]})
        }
        for name, values in SWEEPS.items()
    }


def _swept(setting: str, value: float) -> str:
    return f"addax-{setting}-{value:g}"


def _config(change: dict[str, Any], preset: str) -> TrainingConfig:
    from rankers.inputs.words import InputConfig
    from rankers.models.addax import Config
    from rankers.models.addax_objective import Constraints

    settings = replace(Config.paper() if preset == "paper" else Config.cpu(), **change)
    if preset != "paper" and settings.attention_only and not settings.use_hashing:
        settings = replace(settings, unfrozen_layers=1)  # or there would be nothing to train
    inputs = InputConfig(checkpoint=settings.checkpoint)
    return TrainingConfig(settings, inputs, _recipe(preset), objective=Constraints())


def _late(name: str, preset: str) -> TrainingConfig:
    from rankers.inputs.words import InputConfig
    from rankers.models.late_interaction import Config

    settings = Config.paper() if preset == "paper" else Config.cpu()
    if name == WIDE:
        settings = replace(settings, residual=WIDE_RESIDUAL, dropout=0.1)
    return TrainingConfig(settings, InputConfig(checkpoint=settings.checkpoint), _recipe(preset))


# The published settings that differ by corpus: epochs, batch, learning rate; the lengths are ours. MS MARCO has 200,000
# steps of 64 in the paper, which are 24 epochs of its 532,761 positives.
OF_CORPUS: dict[str, dict[str, Any]] = {
    "wikiqa": {"epochs": 18, "batch_size": 32, "learning_rate": 1e-5, "question_length": 32, "answer_length": 128},
    "insuranceqa": {"epochs": 60, "batch_size": 32, "learning_rate": 5e-6, "question_length": 32, "answer_length": 200},
    "yahooqa": {"epochs": 9, "batch_size": 64, "learning_rate": 9e-6, "question_length": 50, "answer_length": 50},
    "msmarco": {"epochs": 24, "batch_size": 64, "learning_rate": 5e-6, "question_length": 32, "answer_length": 128},
}


def _of_corpus(config: TrainingConfig, corpus: str) -> TrainingConfig:
    """Return the published settings for this corpus, under the preset "paper"; those of WikiQA for any other corpus."""
    if config.recipe != _recipe("paper") or corpus not in OF_CORPUS:
        return config
    return replace(config, recipe=replace(config.recipe, **OF_CORPUS[corpus]))


def _recipe(preset: str) -> Recipe:
    """Return the published settings for WikiQA (lengths are not published), or those for minutes on one core."""
    from rankers.training.recipe import Recipe

    if preset == "paper":
        return Recipe(epochs=18, learning_rate=1e-5, question_length=32, answer_length=128)
    cpu = Recipe(epochs=10, learning_rate=1e-4, question_length=20, answer_length=50, patience=4)
    if preset == "cpu":
        return cpu
    return replace(cpu, epochs=2, batch_size=8, learning_rate=3e-4, patience=0, limit=24, dev_limit=24)
