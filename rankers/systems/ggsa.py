"""The systems of the GGSA paper: its networks, its ablations (Tables 2 to 7) and its sweeps (Figure 8)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from answersim._base.errors import unknown
from rankers.systems.definitions import System, Trained, Training, TrainingConfig

if TYPE_CHECKING:  # torch is loaded for a system, not for names
    from torch import nn

    from rankers.inputs.embedding import Embedding

_GLOBAL = {"attention": "global", "gate": False, "final_norm": True}
# By name: the settings of each network of the paper that differ from those of its kind. The pointwise systems of
# Tables 6 and 7 have the same networks.
LSTM: dict[str, dict[str, Any]] = {
    "qa-lstm": {},
    "qa-lstm-att": {"composition": "attention"},
    "qa-lstm-multihop": {"composition": "multihop"},
    "qa-lstm-multihop-plus": {"composition": "multihop", "dropout": 0.3},
    "qa-lstm-multihop-mlp": {"composition": "multihop-mlp"},
    "ap-lstm": {"composition": "attentive-pooling"},
}
SELF_ATTENTION: dict[str, dict[str, Any]] = {
    "global": _GLOBAL,
    "global-att": {**_GLOBAL, "composition": "attention"},
    "local": {"attention": "local", "gate": False},
    "local-gate": {"attention": "local"},
    "group": {"offsets": (0,), "gate": False},
    "group-offset": {"gate": False},
    "ggsa": {},
    "ggsa-att": {"composition": "attention"},
    "iggsa": {"interaction": True},
    "iggsa-att": {"interaction": True, "composition": "attention"},
    "iggsa-multihop": {"interaction": True, "composition": "multihop"},
}
# More epochs for the network that learns slowest: in eight its dev measure still rises (insuranceqa-mini).
LONG, LONG_EPOCHS = "iggsa-multihop-long", 24
POINTWISE = "-pointwise"  # the end of the names of systems that are trained by the pointwise loss
TRAINED_POINTWISE = ("ctrn", "ggsa", "ggsa-att", "iggsa", "iggsa-att")
TITLES = {
    "qa-lstm": "QA-LSTM",
    "ap-lstm": "AP-LSTM",
    "ctrn": "CTRN",
    "global": "global self-attention",
    "local": "local self-attention",
    "local-gate": "gated local self-attention",
    "group": "group self-attention",
    "group-offset": "group self-attention with offset",
    "ggsa": "GGSA",
    "iggsa": "iGGSA",
}
COMPOSITIONS = {  # the longest ends first
    "-multihop-plus": " with multihop attention and more dropout",
    "-multihop-mlp": " with multihop attention by an MLP",
    "-multihop": " with multihop attention",
    "-att": " with attention",
}
# By setting: the system of each value (Figure 8). The published value is GGSA. The paper plots its points without a
# table. These are groups around its range [4, 20], the second offset by half a group, and all numbers of heads to 12
# that divide D, 192 or 300.
SWEEPS: dict[str, dict[float, str]] = {
    setting: {value: "ggsa" if value == published else f"ggsa-{key}-{value}" for value in values}
    for setting, key, published, values in (
        ("group size", "group", 10, (2, 4, 6, 10, 16, 20, 40)),
        ("heads", "heads", 6, (1, 2, 3, 4, 6, 12)),
    )
}
SIZES = ("cpu", "paper")
CPU_DIM = 192
PAPER = "Gated Group Self-Attention for Answer Selection (2019)"


class Architecture(NamedTuple):
    """A network that is not built yet: ``network(config, embedding)``."""

    network: Callable[[Any, Embedding], nn.Module]  # the class
    config: Any  # the settings of the network
    dim: int  # the dimension of the word vectors that it needs


def trainings() -> dict[str, Training]:
    """Return every training by its name."""
    by_name = {
        name: Training(_kind(name), partial(_config, name), of_corpus=partial(_of_corpus, name)) for name in names()
    }
    usual = by_name[LONG.removesuffix("-long")]
    return by_name | {LONG: replace(usual, config=_long)}


def systems() -> dict[str, System]:
    """Return every system by its name."""
    return {
        name: Trained(
            name, "model", f"{_title(name)}, {'pointwise' if _is_pointwise(name) else 'pairwise'} loss", PAPER
        )
        for name in trainings()
    }


def _title(name: str) -> str:
    """Return the network of a system in words, and how it composes its states if not by their maximum.

    >>> _title("iggsa-att-pointwise"), _title("ggsa-heads-4"), _title("qa-lstm")
    ('iGGSA with attention', 'GGSA with 4 heads', 'QA-LSTM')
    """
    base = name.removesuffix(POINTWISE).removesuffix("-long")
    more = ", more epochs" if name == LONG else ""
    if base.startswith(("ggsa-group-", "ggsa-heads-")):
        _, setting, value = base.split("-")
        return f"GGSA with {value} head{'s' * (value != '1')}" if setting == "heads" else f"GGSA with groups of {value}"
    end = next((end for end in COMPOSITIONS if base.endswith(end)), "")
    return TITLES[base.removesuffix(end)] + COMPOSITIONS.get(end, "") + more


def sweeps() -> dict[str, dict[float, str]]:
    """Return the system of each value by setting (Figure 8)."""
    return SWEEPS


def names() -> tuple[str, ...]:
    """Return the name of every network of the family, without importing torch.

    >>> [name for name in names() if name.startswith("iggsa")]
    ['iggsa', 'iggsa-att', 'iggsa-multihop', 'iggsa-pointwise', 'iggsa-att-pointwise']
    """
    swept = [name for systems in SWEEPS.values() for name in systems.values() if name != "ggsa"]
    return (*LSTM, *SELF_ATTENTION, *(name + POINTWISE for name in TRAINED_POINTWISE), *swept)


def architecture(name: str, *, size: str = "cpu") -> Architecture:
    """Return the network of the system with this name, with its settings.

    Its score is a cosine (for multihop, their sum), or a logit if it is trained by the pointwise loss.

    Args:
        name: One of ``names()``.
        size: "paper" for the published settings, "cpu" for settings that train in minutes on one core.

    Raises:
        LookupError: If there is no such name or size.
    """
    from rankers.models import ctrn, ggsa, qa_lstm

    for kind, given, allowed in (("system", name, names()), ("size", size, SIZES)):
        if given not in allowed:
            raise unknown(kind, given, allowed)
    base = name.removesuffix(POINTWISE)
    compared = "mlp" if _is_pointwise(name) else "cosine"
    dim = CPU_DIM if size == "cpu" else 300
    if base == "ctrn":
        return Architecture(ctrn.Ctrn, replace(getattr(ctrn.Config, size)(), similarity=compared), dim)
    if base in LSTM:
        settings = replace(getattr(qa_lstm.Config, size)(), **LSTM[base], similarity=compared)
        return Architecture(qa_lstm.QaLstm, settings, dim)
    config = replace(getattr(ggsa.Config, size)(), **SELF_ATTENTION.get(base, {}), similarity=compared)
    if base.startswith("ggsa-group-"):
        config = config.with_group(int(base.rpartition("-")[2]))
    elif base.startswith("ggsa-heads-"):
        config = replace(config, heads=int(base.rpartition("-")[2]))
    return Architecture(ggsa.SelfAttention, config, config.dim)


def _kind(name: str) -> str:
    base = name.removesuffix(POINTWISE)
    return "ctrn" if base == "ctrn" else "qa-lstm" if base in LSTM else "self-attention"


def _is_pointwise(name: str) -> bool:
    return name.endswith(POINTWISE)


def _config(name: str, preset: str) -> TrainingConfig:
    """Return the settings of a system of the GGSA paper, trained by the pairwise or the pointwise loss."""
    from rankers.inputs.words import InputConfig
    from rankers.training.recipe import Recipe

    size = "paper" if preset == "paper" else "cpu"
    chosen, is_pairwise = architecture(name, size=size), not _is_pointwise(name)
    words = InputConfig(project=chosen.dim)
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
            words = InputConfig("corpus", size=chosen.dim, at_least=1, trainable=True)
    return TrainingConfig(chosen.config, words, recipe)


def _long(preset: str) -> TrainingConfig:
    """Return the settings of multihop iGGSA with more epochs and patience under the preset "cpu", else its own."""
    config = _config(LONG.removesuffix("-long"), preset)
    if preset != "cpu":
        return config
    return replace(config, recipe=replace(config.recipe, epochs=LONG_EPOCHS, patience=LONG_EPOCHS // 3))


def _of_corpus(name: str, config: TrainingConfig, corpus: str) -> TrainingConfig:
    """Return the published settings for this corpus: those of yahooQA for the pairwise loss of Table 7, too.

    Without them the pairwise loss has the settings of insuranceQA, as in the other tables, and the pointwise loss
    those of yahooQA. Only the preset "paper" differs.
    """
    if _is_pointwise(name) or not corpus.startswith("yahoo") or config.recipe != _config(name, "paper").recipe:
        return config
    yahoo = _config("ggsa" + POINTWISE, "paper")
    recipe = replace(
        config.recipe,
        batch_size=yahoo.recipe.batch_size,
        question_length=yahoo.recipe.question_length,
        answer_length=yahoo.recipe.answer_length,
    )
    network = config.network
    if name in LSTM:
        network = replace(network, hidden=256)  # yahooQA's size
    return replace(config, network=network, inputs=yahoo.inputs, recipe=recipe)
