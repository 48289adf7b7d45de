"""The systems of the GGSA paper: its networks, its ablations (Tables 2 to 7) and its sweeps (Figure 8).

The paper plots Figure 8 without a table. The sweeps have groups around its range [4, 20], the second offset by half a
group, and all numbers of heads to 12 that divide D, 192 or 300.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rankers.models import neural_ranker
from rankers.modules.words import InputConfig
from rankers.papers import Row, rows
from rankers.training.definitions import TrainingConfig
from rankers.training.overrides import apply
from rankers.training.trainer import Recipe

# More epochs for the network that learns slowest: in eight its dev measure still rises (insuranceqa-mini).
LONG, LONG_EPOCHS = "iggsa-multihop-long", 24
CPU_DIM = 192


def configured(row: Row, preset: str) -> TrainingConfig:
    """Return the settings of a system of the GGSA paper, trained by the pairwise or the pointwise loss."""
    is_pairwise = not row.training.endswith("-pointwise")
    settings: Any = neural_ranker.config(row.kind).preset(preset)
    if row.kind != "self-attention":
        settings = replace(settings, similarity="cosine")
    dim = 300 if preset == "paper" else CPU_DIM
    words = InputConfig(project=dim)
    recipe = Recipe(
        epochs={"smoke": 2, "cpu": 8}.get(preset, 60),
        batch_size={"smoke": 8, "cpu": 32}.get(preset, 128 if is_pairwise else 256),
        loss="hinge" if is_pairwise else "pointwise",
        margin=0.1,
        negatives=1 if is_pairwise else 4,
        learning_rate=1e-3,
        warmup_ratio=0.05,
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
            warmup_ratio=0.0,
            question_length=length,
            answer_length=length,
        )
        if is_pairwise:  # insuranceQA: vectors learned from its texts, and trained further
            words = InputConfig("corpus", size=dim, at_least=1, trainable=True)
    if row.training == LONG and preset == "cpu":
        recipe = replace(recipe, epochs=LONG_EPOCHS, patience=LONG_EPOCHS // 3)
    return apply(TrainingConfig(settings, words, recipe), row.overrides)


def of_corpus(row: Row, config: TrainingConfig, corpus: str) -> TrainingConfig:
    """Return the published settings for this corpus: those of yahooQA for the pairwise loss of Table 7, too.

    Without them the pairwise loss has the settings of insuranceQA, as in the other tables, and the pointwise loss
    those of yahooQA. Only the preset "paper" differs.
    """
    is_pointwise = row.training.endswith("-pointwise")
    if is_pointwise or not corpus.startswith("yahoo") or config.recipe != configured(row, "paper").recipe:
        return config
    yahoo = configured(next(other for other in rows("ggsa") if other.training == "ggsa-pointwise"), "paper")
    names = ("batch_size", "question_length", "answer_length")
    recipe = replace(config.recipe, **{name: getattr(yahoo.recipe, name) for name in names})
    network = replace(config.network, hidden=256) if row.kind == "qa-lstm" else config.network  # yahooQA's size
    return replace(config, network=network, inputs=yahoo.inputs, recipe=recipe)
