"""The weights of a model of a known architecture with an adapter merged in, as arrays of torch or of numpy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from answersim.checkpoints import weights
from answersim.neural import adapter as adapters
from answersim.neural.architecture import Architecture
from answersim.neural.compatibility import check_head, check_labels, check_read, is_head, layout


class Tensors(NamedTuple):
    """The weights of a model by the names of its parameters. See ``weights.Loaded``."""

    by_name: dict[str, Any]
    missing: frozenset[str]
    fingerprint: str


Read: TypeAlias = Callable[[Path, Architecture, Callable[[str], bool]], Tensors]
"""Reads the weights in a folder, of which only those may be missing for which the function is true."""


def encoder_weights(
    read: Read, folder: Path, described: Architecture, fingerprint: str, added: adapters.Adapter | None, precision: str
) -> dict[str, Any]:
    """Return the weights of an encoder.

    ``fingerprint``: of weights, adapter and precision together. ``added``: the adapter, in the arrays of ``read``.
    Raise ChecksumError if a file is not the one that the fingerprint was made of. Raise ValueError if the files are
    damaged, or lack a tensor that the model reads.
    """
    loaded = read(folder, described, lambda name: name.startswith("pooler."))
    check_read(folder, fingerprint, loaded.fingerprint, added, precision)
    if added:
        loaded.by_name.update(adapters.merged(loaded.by_name, added, layout(folder, pairs=False)))
    return loaded.by_name


def classifier_weights(
    read: Read, folder: Path, described: Architecture, fingerprint: str, added: adapters.Adapter | None, precision: str
) -> dict[str, Any]:
    """Return the weights of a sequence classifier. See ``encoder_weights``.

    Raise ValueError if it does not give one number per pair, or neither the weights nor the adapter have its head.
    """
    check_labels(folder, described.n_labels)
    brought = adapters.replaced(added) if added else set()
    loaded = read(folder, described, lambda name: name in brought or is_head(name))
    check_head(folder, loaded.missing - brought, added)
    check_read(folder, fingerprint, loaded.fingerprint, added, precision)
    if added:
        loaded.by_name.update(adapters.merged(loaded.by_name, added, described.layout))
    return loaded.by_name


def check_shapes(
    folder: Path, described: Architecture, stored: Mapping[str, tuple[int, ...]], optional: Callable[[str], bool]
) -> frozenset[str]:
    """Return the parameters that files lack, from the shapes of those that they contain.

    Raise ValueError if one is missing that is not optional, or has another shape.
    """
    shapes = described.layout.shapes
    missing = frozenset(shapes.keys() - stored.keys())
    mismatched = [(name, shape, shapes[name]) for name, shape in stored.items() if shape != shapes[name]]
    weights.check_fit(folder, {name for name in missing if not optional(name)}, mismatched)
    return missing
