"""The systems of the GGSA paper: its networks, its ablations (Tables 2 to 7) and its sweeps (Figure 8)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from answersim.errors import unknown
from rankers.systems.definitions import System, Trained, Training, TrainingConfig

if TYPE_CHECKING:  # torch is loaded for a system, not for names
    from torch import nn

    from rankers.inputs.embedding import Embedding

SELF_ATTENTION: dict[str, dict[str, Any]] = {
    "global": {"attention": "global", "gate": False, "final_norm": True},
    "local": {"attention": "local", "gate": False},
    "local-gate": {"attention": "local"},
    "group": {"offsets": (0,), "gate": False},
    "group-offset": {"gate": False},
    "ggsa": {},
    "iggsa": {"interaction": True},
}
LSTM: dict[str, dict[str, Any]] = {
    "qa-lstm": {},
    "qa-lstm-att": {"composition": "attention"},
    "qa-lstm-multihop": {"composition": "multihop"},
    "qa-lstm-multihop-plus": {"composition": "multihop", "dropout": 0.3},
    "qa-lstm-multihop-mlp": {"composition": "multihop-mlp"},
    "ap-lstm": {"composition": "attentive-pooling"},
}
COMPOSED = {"": "max", "-att": "attention", "-multihop": "multihop"}
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
GROUPS, HEADS = (2, 4, 6, 10, 16, 20, 40), (1, 2, 3, 4, 6, 12)
SWEPT = (*(f"ggsa-group-{group}" for group in GROUPS), *(f"ggsa-heads-{heads}" for heads in HEADS))
PUBLISHED = ("ggsa-group-10", "ggsa-heads-6")  # those of them that are GGSA itself
SWEEPS: dict[str, dict[float, str]] = {
    setting: {value: "ggsa" if (name := f"ggsa-{key}-{value}") in PUBLISHED else name for value in values}
    for setting, key, values in (("group size", "group", GROUPS), ("heads", "heads", HEADS))
}
SIZES = ("cpu", "paper")
LOSSES = {"pairwise": "cosine", "pointwise": "mlp"}
CPU_DIM = 192
PAPER = "Gated Group Self-Attention for Answer Selection (2019)"
# More epochs for the network that learns slowest: in eight its dev measure still rises (insuranceqa-mini).
LONG, LONG_EPOCHS = "iggsa-multihop-long", 24
POINTWISE = "-pointwise"  # the end of the names of systems that are trained by the pointwise loss


class Architecture(NamedTuple):
    """A network that is not built yet: ``network(config, embedding)``.

    Attributes:
        network: The class.
        config: The settings of the network.
        dim: The dimension of the word vectors that it needs.
    """

    network: Callable[[Any, Embedding], nn.Module]
    config: Any
    dim: int


def trainings() -> dict[str, Training]:
    """Return every training by its name. The published points of the sweeps rank by the training of GGSA."""
    by_name = {
        name + suffix: Training(_kind(name), partial(_config, name, loss), of_corpus=partial(_of_corpus, name, loss))
        for name in (*names(), *SWEPT)
        for suffix, loss in (("", "pairwise"), (POINTWISE, "pointwise"))
        if name not in PUBLISHED and not (suffix and name in SWEPT)
    }
    usual = by_name[LONG.removesuffix("-long")]
    return by_name | {LONG: replace(usual, config=_long)}


def systems() -> dict[str, System]:
    """Return every system by its name."""
    training_of = {name: name for name in trainings()} | dict.fromkeys(PUBLISHED, "ggsa")
    return {
        name: Trained(training, "model", f"{_title(name)}, {_loss_of(name)} loss", PAPER)
        for name, training in training_of.items()
    }


def _title(name: str) -> str:
    """Return the network of a system in words, and how it composes its states if not by their maximum.

    >>> _title("local-gate-multihop-pointwise"), _title("ggsa-heads-4"), _title("qa-lstm")
    ('gated local self-attention with multihop attention', 'GGSA with 4 heads', 'QA-LSTM')
    """
    base = name.removesuffix(POINTWISE).removesuffix("-long")
    more = ", more epochs" if base != name.removesuffix(POINTWISE) else ""
    if base.startswith(("ggsa-group-", "ggsa-heads-")):
        _, setting, value = base.split("-")
        return f"GGSA with {value} head{'s' * (value != '1')}" if setting == "heads" else f"GGSA with groups of {value}"
    end = next((end for end in COMPOSITIONS if base.endswith(end)), "")
    return TITLES[base.removesuffix(end)] + COMPOSITIONS.get(end, "") + more


def sweeps() -> dict[str, dict[float, str]]:
    """Return the system of each value by setting (Figure 8)."""
    return SWEEPS


def names() -> tuple[str, ...]:
    """Return the name of every system of the family, without importing torch.

    >>> [name for name in names() if name.startswith("iggsa")]
    ['iggsa', 'iggsa-att', 'iggsa-multihop']
    """
    attending = [name + suffix for name in SELF_ATTENTION for suffix in COMPOSED]
    return (*LSTM, "ctrn", *attending)


def architecture(name: str, *, size: str = "cpu", loss: str = "pairwise") -> Architecture:
    """Return the network of the system with this name, with its settings.

    Args:
        name: One of ``names()``.
        size: "paper" for the published settings, "cpu" for settings that train in minutes on one core.
        loss: "pairwise" for a score that is a cosine (for multihop, their sum), "pointwise" for a logit.

    Raises:
        LookupError: If there is no such name, size or loss.
    """
    for kind, given, allowed in (("system", name, names()), ("size", size, SIZES), ("loss", loss, LOSSES)):
        if given not in allowed:
            raise unknown(kind, given, allowed)
    if name == "ctrn":
        return _ctrn(size, LOSSES[loss])
    return _lstm(name, size, loss) if name in LSTM else _self_attention(name, size, LOSSES[loss])


def swept(*, size: str = "cpu") -> dict[str, Architecture]:
    """Return GGSA with max pooling, by group size and by number of heads (Figure 8). The published setting is in both.

    The paper plots its points without a table. The points here are groups around its range [4, 20], the second offset
    by half a group, and all numbers of heads to 12 that divide D, 192 or 300.
    """
    network, config, dim = architecture("ggsa", size=size)
    architectures = {
        f"ggsa-group-{group_size}": Architecture(network, config.with_group(group_size), dim) for group_size in GROUPS
    }
    for heads in HEADS:
        architectures[f"ggsa-heads-{heads}"] = Architecture(network, replace(config, heads=heads), dim)
    return architectures


def _self_attention(name: str, size: str, compared: str) -> Architecture:
    from rankers.models.ggsa import Config, SelfAttention

    kind = next(prefix for prefix in sorted(SELF_ATTENTION, key=len, reverse=True) if name.startswith(prefix))
    start = Config.paper() if size == "paper" else Config.cpu()
    composed = COMPOSED[name.removeprefix(kind)]
    config = replace(start, **SELF_ATTENTION[kind], composition=composed, similarity=compared)
    return Architecture(SelfAttention, config, config.dim)


def _lstm(name: str, size: str, loss: str) -> Architecture:
    from rankers.models.qa_lstm import Config, QaLstm

    start = Config.paper() if size == "paper" else Config.cpu()
    if size == "paper" and loss == "pointwise":
        start = replace(start, hidden=256)  # yahooQA's size, whose loss is pointwise
    return Architecture(
        QaLstm, replace(start, **LSTM[name], similarity=LOSSES[loss]), CPU_DIM if size == "cpu" else 300
    )


def _ctrn(size: str, compared: str) -> Architecture:
    from rankers.models.ctrn import Config, Ctrn

    start = Config.paper() if size == "paper" else Config.cpu()
    return Architecture(Ctrn, replace(start, similarity=compared), CPU_DIM if size == "cpu" else 300)


def _kind(name: str) -> str:
    return "ctrn" if name == "ctrn" else "qa-lstm" if name in LSTM else "self-attention"


def _loss_of(name: str) -> str:
    return "pointwise" if name.endswith(POINTWISE) else "pairwise"


def _config(name: str, loss: str, preset: str) -> TrainingConfig:
    """Return the settings of a system of the GGSA paper, trained by the pairwise or the pointwise loss."""
    from rankers.inputs.words import InputConfig
    from rankers.training.recipe import Recipe

    size = "paper" if preset == "paper" else "cpu"
    chosen = swept(size=size).get(name) or architecture(name, size=size, loss=loss)
    is_pairwise = loss == "pairwise"
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
    config = _config(LONG.removesuffix("-long"), "pairwise", preset)
    if preset != "cpu":
        return config
    return replace(config, recipe=replace(config.recipe, epochs=LONG_EPOCHS, patience=LONG_EPOCHS // 3))


def _of_corpus(name: str, loss: str, config: TrainingConfig, corpus: str) -> TrainingConfig:
    """Return the published settings for this corpus: those of yahooQA for the pairwise loss of Table 7, too.

    Without them the pairwise loss has the settings of insuranceQA, as in the other tables, and the pointwise loss
    those of yahooQA. Only the preset "paper" differs.
    """
    if loss == "pointwise" or not corpus.startswith("yahoo") or config.recipe != _config(name, loss, "paper").recipe:
        return config
    yahoo = _config(name, "pointwise", "paper")
    recipe = replace(
        config.recipe,
        batch_size=yahoo.recipe.batch_size,
        question_length=yahoo.recipe.question_length,
        answer_length=yahoo.recipe.answer_length,
    )
    network = config.network
    if name in LSTM:
        network = replace(network, hidden=yahoo.network.hidden)
    return replace(config, network=network, inputs=yahoo.inputs, recipe=recipe)
