"""Whether weights, a head and an adapter belong together, checked without torch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from answersim._base.runtime.concurrency import load_once
from answersim.metrics.checkpoints import adapter as adapters
from answersim.metrics.checkpoints import packed, search, weights
from answersim.metrics.checkpoints.search import Checkpoint, read_settings, sha256
from answersim.metrics.checkpoints.weights import Layout
from answersim.metrics.neural import architecture
from answersim.metrics.neural.architecture import FAMILIES, Architecture

_PAIRS = "SEQ_CLS"  # the task that peft gives an adapter of a classifier, such as a cross-encoder's


def signed(base: str, adapter: str, precision: str) -> str:
    """Return the fingerprint of weights, adapter and precision together.

    >>> signed("abc", signed_adapter("names", "def"), "fp32")
    'abc+names@def/fp32'
    """
    return f"{base}{adapter}/{precision}"


def signed_adapter(name: str, fingerprint: str) -> str:
    """Return what an adapter adds to the fingerprint of its base."""
    return f"+{name}@{fingerprint}"


def architecture_of(
    folder: Path, *, pairs: bool, layers: int | None = None, n_labels: int | None = None
) -> Architecture | None:
    """Return the architecture of the model in a folder; None if the engine cannot run it.

    ``pairs``: whether a sequence classifier is wanted, instead of an encoder by itself. Raise ValueError if
    ``config.json`` has an impossible value.
    """
    config = search.read_config(folder)
    settings: dict[str, Any] = {"pairs": pairs, "layers": layers, "n_labels": n_labels}
    parsed = architecture.read(config, **settings)
    kind = config.get("model_type")
    if parsed is None and isinstance(kind, str) and kind in FAMILIES:
        # Old files lack settings whose defaults only transformers has.
        with weights.quiet() as transformers, weights.unfit(folder):
            complete = transformers.AutoConfig.from_pretrained(folder, **weights.SAFE).to_dict()
        parsed = architecture.read(complete, **settings)
    return parsed


def check_adapter(checkpoint: Checkpoint, adapter: Path, *, pairs: bool) -> None:
    """Check that an adapter was made for these weights, as far as possible before they are loaded.

    The SHA-256 of the base in its recipe.json, the name of its base (if both have names) and the shape of every tensor
    must agree with the checkpoint. ``pairs``: whether it is for a cross-encoder, and not for an encoder of single
    texts.
    """
    settings = adapters.read_settings(adapter)
    if settings.task == _PAIRS and not pairs:
        raise ValueError(
            f"{adapter} is the adapter of a model that reads pairs (task_type {_PAIRS}): it can be used with 'sas' "
            f"only, not with an encoder of single texts"
        )
    adapters.verify(adapter)
    _check_base(checkpoint, adapter, settings.base)
    _check_shapes(checkpoint, adapter, adapters.fingerprint(adapter), pairs)


def _check_base(checkpoint: Checkpoint, adapter: Path, base: str) -> None:
    stated = read_settings(adapter / adapters.RECIPE).get("base")
    pinned = stated.get("sha256") if isinstance(stated, dict) else None
    file = search.weight_files(checkpoint.folder)[0]
    if pinned and file.name in ("model.safetensors", packed.FILE):
        if sha256(file) != pinned:
            raise ValueError(
                f"the adapter {adapter} was trained on {base or 'a base'} with the SHA-256 {pinned}, but {file} has "
                f"{sha256(file)}: choose its base with model=, or another adapter"
            )
        return
    expected, here = _short(base), checkpoint.fingerprint.rpartition("@")[0] or _short(checkpoint.name)
    if expected and here and expected != here:
        raise ValueError(
            f"the adapter {adapter} was trained on {base}, but the weights are {here}: "
            "choose its base with model=, or another adapter"
        )


def _short(name: str) -> str:
    """Return the name of a model without its owner and revision; "" for a path, which states no name."""
    if name.startswith((".", "~")) or "\\" in name or Path(name).is_absolute() or Path(name).is_dir():
        return ""
    return name.partition("@")[0].rpartition("/")[2]


@load_once(64)
def _check_shapes(checkpoint: Checkpoint, adapter: Path, fingerprint: str, pairs: bool) -> None:
    adapters.check(layout(checkpoint.folder, pairs=pairs), adapter)


def layout(folder: Path, *, pairs: bool) -> Layout:
    """Return the names and shapes of the parameters of a whole model; for a classifier, with one label."""
    parsed = architecture_of(folder, pairs=pairs, n_labels=1)
    if parsed is not None:
        return parsed.layout
    auto, labels = ("AutoModelForSequenceClassification", {"num_labels": 1}) if pairs else ("AutoModel", {})
    with weights.quiet():
        return adapters.layout_of(weights.skeleton(folder, auto, **labels))


def check_labels(folder: Path, n_labels: int) -> None:
    """Check that a classifier returns one number per pair. Raise ValueError if it has another number of labels."""
    if n_labels != 1:
        raise ValueError(
            f"{folder} has {n_labels} labels, but a similarity is one number per pair; "
            "choose a cross-encoder that was trained for similarity"
        )


def check_head(folder: Path, random: frozenset[str], added: adapters.Adapter | None) -> None:
    """Check that the head of a classifier has values.

    ``random``: the parameters of the head that neither the weights nor the adapter contain.
    """
    if random:
        raise ValueError(
            f"{folder} contains no {', '.join(sorted(random))}{' and neither does the adapter' if added else ''}, so "
            f"the scores would be random; choose a cross-encoder that was trained for similarity"
        )


def is_head(name: str) -> bool:
    """Return whether this parameter is above the encoder. Such a parameter is refused with a separate message."""
    return name.startswith(("classifier.", "score.", "classification_head.", "pooler.")) or ".pooler." in name


def check_read(folder: Path, expected: str, read: str, added: adapters.Adapter | None, precision: str) -> None:
    """Check that the files that were read are those that the fingerprint was made of.

    Raise ChecksumError if they are not.
    """
    suffix = signed_adapter(added.folder.name, added.fingerprint) if added else ""
    search.check_same(folder, expected, signed(read, suffix, precision))
