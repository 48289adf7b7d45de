"""The weights of a model of a known architecture with an adapter merged in, as arrays of torch or of numpy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from answersim.metrics.checkpoints import adapter as adapters
from answersim.metrics.checkpoints import packed, search, weights
from answersim.metrics.neural.architecture import Architecture, stored_names
from answersim.metrics.neural.compatibility import check_head, check_labels, check_read, is_head, layout


class Tensors(NamedTuple):
    """The weights of a model by the names of its parameters. See ``weights.Loaded``."""

    by_name: dict[str, Any]
    missing: frozenset[str]
    fingerprint: str


def merged_weights(
    read: Callable[[Path], weights.Tensors],
    convert: Callable[[Any], Any],
    otherwise: Callable[[Callable[[str], bool]], Tensors],
    folder: Path,
    described: Architecture,
    fingerprint: str,
    added: adapters.Adapter | None,
    precision: str,
) -> dict[str, Any]:
    """Return the weights of an encoder, or of a classifier that gives one number per pair.

    ``read``: reads the weights in a folder. ``convert``: from a stored tensor to the array of the engine. The table of
    words of a packed file is in memory once for all models. ``otherwise``: reads the weights if several tensors could
    belong to one parameter; only those may be missing for which its argument is true. ``fingerprint``: of weights,
    adapter and precision together. ``added``: the adapter, in the arrays of the engine. Raise ChecksumError if a file
    is not the one that the fingerprint was made of. Raise ValueError if the files are damaged, or lack a tensor that
    the model reads, and the adapter lacks it too if it is of the head.
    """
    is_classifier = described.head is not None
    brought = adapters.replaced(added) if added and is_classifier else set()

    def optional(name: str) -> bool:
        return name in brought or is_head(name) if is_classifier else name.startswith("pooler.")

    if is_classifier:
        check_labels(folder, described.n_labels)
    weights.check_size(described.layout.size, folder)
    stored = read(folder)
    digest = stored.sha256.get(packed.FILE, "")
    loaded = matched(
        folder,
        described,
        stored,
        optional,
        lambda tensor: convert(tensor.shared(digest) if isinstance(tensor, packed.PackedRows) else tensor),
    )
    loaded = otherwise(optional) if loaded is None else loaded
    if is_classifier:
        check_head(folder, loaded.missing - brought, added)
    check_read(folder, fingerprint, loaded.fingerprint, added, precision)
    if added:
        whole = described.layout if is_classifier else layout(folder, pairs=False)
        loaded.by_name.update(adapters.merged(loaded.by_name, added, whole))
    return loaded.by_name


def matched(
    folder: Path,
    described: Architecture,
    stored: weights.Tensors,
    optional: Callable[[str], bool],
    convert: Callable[[Any], Any],
) -> Tensors | None:
    """Return the stored tensors that a known architecture needs, by the names of its parameters.

    ``convert``: from a stored tensor to the array of the engine. The result is None if several tensors could belong to
    one parameter, or one has integers. Then transformers decides. Raise ValueError if a tensor is missing that is not
    optional, or has another shape.
    """
    names = stored_names(described, stored.by_name)
    if names is None or not all(stored.by_name[name].is_floating_point() for name in names.values()):
        return None
    tensors, shapes = {name: stored.by_name[file_name] for name, file_name in names.items()}, described.layout.shapes
    missing = frozenset(shapes.keys() - tensors.keys())
    mismatched = [
        (name, shape, shapes[name])
        for name, tensor in tensors.items()
        if (shape := tuple(tensor.shape)) != shapes[name]
    ]
    weights.check_fit(folder, {name for name in missing if not optional(name)}, mismatched)
    fingerprint = search.fingerprint(folder, stored.sha256)
    return Tensors({name: convert(tensor) for name, tensor in tensors.items()}, missing, fingerprint)
