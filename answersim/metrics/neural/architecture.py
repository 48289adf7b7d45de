"""BERT and related models from ``config.json``: the name and shape of every parameter, without torch or transformers.

The engine in ``unpadded`` runs exactly these architectures. Any other one is left to transformers, and so is a
configuration with a value that this module does not recognize.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from answersim.metrics.checkpoints.weights import Layout

BUCKETS = 32  # buckets of relative positions: transformers counts this many for any size of the table


class AttentionNames(NamedTuple):
    """The names of the parts of attention, below that of their layer."""

    query: str = "attention.self.query"
    key: str = "attention.self.key"
    value: str = "attention.self.value"
    out: str = "attention.output.dense"
    norm: str = "attention.output.LayerNorm"


class Architecture(NamedTuple):
    """What the forward pass of a model needs besides its weights."""

    layout: Layout  # the parameters
    prefix: str  # the prefix of encoder parameters in a classifier, such as "bert."; "" for an encoder by itself
    base: str  # the prefix that files may have even if the model is an encoder by itself
    n_layers: int  # the number of layers above the embeddings
    n_heads: int  # the number of attention heads
    eps: float  # the epsilon of the layer norms
    activation: str  # the name of the activation between the two linear layers of a feed-forward block
    # the id of the padding token if positions are counted from it, or None if they are counted from 0
    padding: int | None
    # how a classifier turns the first token into logits: "pooler", "tanh" or "gelu"; None for an encoder
    head: str | None
    n_labels: int  # the number of logits of a classifier
    attention: AttentionNames = AttentionNames()  # the names of the parts of attention in each layer


class _Family(NamedTuple):
    """Models with learned positions, and a norm after each sum. One with relative positions has no token types."""

    classes: str  # the beginning of the names of its classes in transformers
    base: str  # the prefix of the encoder in a model with a head
    from_padding: bool  # whether positions are counted from the padding id
    head: str  # see ``Architecture.head``
    pooler: bool = True  # whether the encoder by itself has a pooler
    narrow: bool = False  # whether ``embedding_size`` may differ from ``hidden_size``
    relative: bool = False  # whether attention has a bias by relative position
    # the padding id from which positions are counted, if transformers fixes it (``modeling_mpnet.MPNetEmbeddings``)
    padding: int | None = None
    attention: AttentionNames = AttentionNames()  # see ``Architecture.attention``


_DATA = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
FAMILIES: dict[str, _Family] = {
    kind: _Family(**row | {"attention": AttentionNames(**row.get("attention", {}))})
    for kind, row in _DATA["families"].items()
}
_COUNTS = (
    *("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size"),
    "max_position_embeddings",
)
_TYPES, _TYPED = "type_vocab_size", "embeddings.token_type_embeddings.weight"
_BUCKETS, _RELATIVE = "relative_attention_num_buckets", "encoder.relative_attention_bias.weight"
# Settings with another value than these change the model, or how transformers loads it.
_PLAIN: dict[str, list[Any]] = _DATA["plain"]


def read(
    config: Mapping[str, Any], *, pairs: bool, layers: int | None = None, n_labels: int | None = None
) -> Architecture | None:
    """Return the architecture that a configuration describes, or None if only transformers can build it.

    ``config``: the content of ``config.json``. A setting that is missing is not replaced by a default. ``pairs``:
    whether a sequence classifier is wanted, instead of an encoder by itself.
    """
    kind = config.get("model_type")
    family = FAMILIES.get(kind) if isinstance(kind, str) else None
    if family is None or any(config.get(name) not in values for name, values in _PLAIN.items()):
        return None
    needed = (*_COUNTS, _BUCKETS if family.relative else _TYPES)
    counts: list[int] = [value for value in map(config.get, needed) if type(value) is int and value > 0]
    if len(counts) < len(needed):
        return None
    words, width, depth, heads, inner, positions, types_or_buckets = counts
    eps, act, padding = config.get("layer_norm_eps"), config.get("hidden_act"), config.get("pad_token_id")
    if family.padding is not None:
        padding = family.padding
    embedded = config.get("embedding_size") if family.narrow else width
    labels = _labels(config) if n_labels is None else n_labels
    if (
        width % heads
        or not isinstance(eps, float)
        or not isinstance(act, str)
        or not isinstance(embedded, int)
        or embedded < 1
        or labels is None
        or (family.relative and types_or_buckets < BUCKETS)
        or not _is_padding(padding, words, positions if family.from_padding else words, family.from_padding)
    ):
        return None
    depth = depth if layers is None else layers
    prefix = family.base if pairs else ""
    head = family.head if pairs else None
    encoder = _encoder(words, embedded, width, depth, inner, positions, family.attention)
    if family.relative:
        encoder[_RELATIVE] = (types_or_buckets, heads)
    else:
        encoder[_TYPED] = (types_or_buckets, embedded)
    shapes = {f"{prefix}{name}": shape for name, shape in encoder.items()}
    if head == "pooler" or (family.pooler and not pairs):
        shapes |= _linear(f"{prefix}pooler.dense", width, width)
    if head == "pooler":
        shapes |= _linear("classifier", labels, width)
    elif head is not None:
        shapes |= _linear("classifier.dense", width, width) | _linear("classifier.out_proj", labels, width)
    linear = frozenset(
        name.removesuffix(".weight")
        for name, shape in shapes.items()
        if len(shape) == 2 and not name.startswith((f"{prefix}embeddings.", f"{prefix}{_RELATIVE}"))
    )
    model = f"{family.classes}{'ForSequenceClassification' if pairs else 'Model'}"
    return Architecture(
        layout=Layout(model, shapes, linear),
        prefix=prefix,
        base=family.base,
        n_layers=depth,
        n_heads=heads,
        eps=eps,
        activation=act,
        padding=padding if family.from_padding else None,
        head=head,
        n_labels=labels,
        attention=family.attention,
    )


def stored_names(architecture: Architecture, stored: Iterable[str]) -> dict[str, str] | None:
    """Map the names of parameters to their names in the files, for those that exist.

    Files may have the prefix of the encoder or lack it, and may call the parameters of a norm gamma and beta. The
    result is None if several tensors could belong to one parameter. Then transformers decides.
    """
    base, shapes = architecture.base, architecture.layout.shapes
    current: dict[str, str] = {}
    for name in stored:
        renamed = name.replace("LayerNorm.gamma", "LayerNorm.weight").replace("LayerNorm.beta", "LayerNorm.bias")
        if renamed in current:
            return None
        current[renamed] = name
    with_base = {name for name in current if name.startswith(base)}
    if with_base:
        if any(f"{base}{name}" in shapes or (not architecture.prefix and name in shapes) for name in current):
            return None
        if not architecture.prefix:
            current = {name.removeprefix(base): current[name] for name in with_base}
    elif architecture.prefix:
        if any(name in shapes for name in current):  # a head beside an encoder without its prefix
            return None
        current = {f"{base}{name}": file_name for name, file_name in current.items()}
    return {name: current[name] for name in shapes if name in current}


def _labels(config: Mapping[str, Any]) -> int | None:
    """Return the number of labels; None if the two settings that state it disagree or are invalid."""
    names, count = config.get("id2label"), config.get("num_labels")
    if names is not None and not isinstance(names, dict):
        return None
    if count is not None and (not isinstance(count, int) or isinstance(count, bool) or count < 1):
        return None
    if names is None:
        return 2 if count is None else count
    return len(names) if names and count in (None, len(names)) else None


def _is_padding(value: Any, words: int, positions: int, required: bool) -> bool:
    if value is None:
        return not required
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < min(words, positions)


def _encoder(
    words: int, embedded: int, width: int, depth: int, inner: int, positions: int, attention: AttentionNames
) -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (words, embedded),
        "embeddings.position_embeddings.weight": (positions, embedded),
        **_norm("embeddings.LayerNorm", embedded),
    }
    if embedded != width:
        shapes |= _linear("embeddings_project", width, embedded)
    for i in range(depth):
        layer = f"encoder.layer.{i}"
        for tensor in (attention.query, attention.key, attention.value, attention.out):
            shapes |= _linear(f"{layer}.{tensor}", width, width)
        shapes |= _norm(f"{layer}.{attention.norm}", width)
        shapes |= _linear(f"{layer}.intermediate.dense", inner, width)
        shapes |= _linear(f"{layer}.output.dense", width, inner)
        shapes |= _norm(f"{layer}.output.LayerNorm", width)
    return shapes


def _linear(name: str, out: int, into: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (out, into), f"{name}.bias": (out,)}


def _norm(name: str, width: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (width,), f"{name}.bias": (width,)}
