"""Every system of the GGSA paper under its name: which network, with which settings; and which rows its tables have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from answersim.errors import unknown

if TYPE_CHECKING:  # torch is loaded when a system is asked for, not when names are
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


class System(NamedTuple):
    """A network that is yet to be built: ``network(config, embedding)``.

    Attributes:
        network: The class.
        config: Its settings.
        dim: The size of the word vectors that it wants of its embedding.
    """

    network: Callable[[Any, Embedding], nn.Module]
    config: Any
    dim: int


class Row(NamedTuple):
    """A row of a table of the paper: what it says, and the system and loss that stand behind it."""

    label: str
    system: str
    loss: str


def names() -> tuple[str, ...]:
    """The name of every system of the family, torch not needed.

    >>> [name for name in names() if name.startswith("iggsa")]
    ['iggsa', 'iggsa-att', 'iggsa-multihop']
    """
    attending = [name + suffix for name in SELF_ATTENTION for suffix in COMPOSED]
    return (*LSTM, "ctrn", *attending)


def system(name: str, *, size: str = "cpu", loss: str = "pairwise") -> System:
    """The system of this name.

    Args:
        name: One of ``names()``.
        size: "paper" for the published settings, "cpu" for ones that train in minutes on one core.
        loss: "pairwise" for a score that is a cosine (for multihop, their sum), "pointwise" for a logit.

    Raises:
        LookupError: No such name, size or loss.
    """
    for kind, given, known in (("system", name, names()), ("size", size, SIZES), ("loss", loss, LOSSES)):
        if given not in known:
            raise unknown(kind, given, known)
    if name == "ctrn":
        return _ctrn(size, LOSSES[loss])
    return _lstm(name, size, loss) if name in LSTM else _self_attention(name, size, LOSSES[loss])


def systems(*, size: str = "cpu", loss: str = "pairwise") -> dict[str, System]:
    """Every system of the family by its name, of this size and for this loss."""
    return {name: system(name, size=size, loss=loss) for name in names()}


def sweep(*, size: str = "cpu") -> dict[str, System]:
    """Figure 8: GGSA with max pooling, by group size and by number of heads; the published setting is in both.

    The paper draws its points without a table; these are ours: groups around its range [4, 20], the second offset half
    a group; and all numbers of heads to 12 that divide D, 192 or 300.
    """
    network, config, dim = system("ggsa", size=size)
    found = {f"ggsa-group-{each}": System(network, config.with_group(each), dim) for each in GROUPS}
    for heads in HEADS:
        found[f"ggsa-heads-{heads}"] = System(network, replace(config, heads=heads), dim)
    return found


def _self_attention(name: str, size: str, compared: str) -> System:
    from rankers.models.ggsa import Config, SelfAttention

    kind = next(each for each in sorted(SELF_ATTENTION, key=len, reverse=True) if name.startswith(each))
    start = Config.paper() if size == "paper" else Config.cpu()
    composed = COMPOSED[name.removeprefix(kind)]
    config = replace(start, **SELF_ATTENTION[kind], composition=composed, similarity=compared)
    return System(SelfAttention, config, config.dim)


def _lstm(name: str, size: str, loss: str) -> System:
    from rankers.models.qa_lstm import Config, QaLstm

    start = Config.paper() if size == "paper" else Config.cpu()
    if size == "paper" and loss == "pointwise":
        start = replace(start, hidden=256)  # yahooQA's size, whose loss is pointwise
    return System(QaLstm, replace(start, **LSTM[name], similarity=LOSSES[loss]), CPU_DIM if size == "cpu" else 300)


def _ctrn(size: str, compared: str) -> System:
    from rankers.models.ctrn import Config, Ctrn

    start = Config.paper() if size == "paper" else Config.cpu()
    return System(Ctrn, replace(start, similarity=compared), CPU_DIM if size == "cpu" else 300)


TABLES: dict[str, tuple[Row, ...]] = {
    "2": (
        Row("QA-LSTM", "qa-lstm", "pairwise"),
        Row("global self-attention with max-pooling", "global", "pairwise"),
        Row("GGSA with max-pooling", "ggsa", "pairwise"),
        Row("QA-LSTM with attention", "qa-lstm-att", "pairwise"),
        Row("global self-attention with attention", "global-att", "pairwise"),
        Row("GGSA with attention", "ggsa-att", "pairwise"),
    ),
    "3": (
        Row("local self-attention", "local", "pairwise"),
        Row("local self-attention (+gate)", "local-gate", "pairwise"),
        Row("GGSA", "ggsa", "pairwise"),
    ),
    "4": (
        Row("global self-attention", "global", "pairwise"),
        Row("group self-attention", "group", "pairwise"),
        Row("group self-attention (+offset)", "group-offset", "pairwise"),
        Row("GGSA (+offset,+gate)", "ggsa", "pairwise"),
        Row("iGGSA", "iggsa", "pairwise"),
    ),
    "5": (
        Row("QA-LSTM (our impl.)", "qa-lstm", "pairwise"),
        Row("AP-LSTM", "ap-lstm", "pairwise"),
        Row("Multihop-MLP-LSTM", "qa-lstm-multihop-mlp", "pairwise"),
        Row("Multihop-Sequential-LSTM (our impl.)", "qa-lstm-multihop", "pairwise"),
        Row("Multihop-Sequential-LSTM+ (our impl.)", "qa-lstm-multihop-plus", "pairwise"),
        Row("GGSA with max-pooling", "ggsa", "pairwise"),
        Row("GGSA with attention", "ggsa-att", "pairwise"),
        Row("iGGSA with max-pooling", "iggsa", "pairwise"),
        Row("iGGSA with attention", "iggsa-att", "pairwise"),
        Row("iGGSA with multihop-seq-att", "iggsa-multihop", "pairwise"),
    ),
    "6": (
        Row("CTRN (our impl.)", "ctrn", "pointwise"),
        Row("GGSA with max-pooling", "ggsa", "pointwise"),
        Row("GGSA with attention", "ggsa-att", "pointwise"),
        Row("iGGSA with max-pooling", "iggsa", "pointwise"),
        Row("iGGSA with attention", "iggsa-att", "pointwise"),
    ),
    "7": (
        Row("GGSA with max-pooling (pointwise loss)", "ggsa", "pointwise"),
        Row("GGSA with max-pooling (pairwise loss)", "ggsa", "pairwise"),
        Row("iGGSA with attention (pointwise loss)", "iggsa-att", "pointwise"),
        Row("iGGSA with attention (pairwise loss)", "iggsa-att", "pairwise"),
    ),
}
