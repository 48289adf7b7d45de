"""What the factories of neural metrics share: weights, checkpoints, and the network on them.

Torch is imported inside the functions, so that the names and options of the metrics are available without it.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from answersim._base import arguments
from answersim._base.device import Device
from answersim._base.errors import NO_NETWORK, CheckpointNotFoundError
from answersim._base.runtime.concurrency import imported, wait_passively
from answersim.metrics.checkpoints import profiles
from answersim.metrics.checkpoints.profiles import Weights
from answersim.metrics.checkpoints.search import MODELS_VARIABLE, Checkpoint, find, has_weights
from answersim.metrics.neural.engines.choice import engine


def _weights(
    name: str,
    lang: str,
    profile: str | None,
    model: str | os.PathLike[str] | None,
    adapter: str | os.PathLike[str] | None,
) -> Weights:
    """Return the named model and adapter, or those of the profile.

    An adapter without a model replaces the adapter of the profile. A model without an adapter has none.
    """
    if model and (Path(model) / "adapter_config.json").is_file() and not (Path(model) / "config.json").is_file():
        raise ValueError(f"{os.fspath(model)} is an adapter, not a model; give it with adapter=, its base with model=")
    weights = Weights(os.fspath(model)) if model else profiles.weights(name, lang, profile)
    if adapter is not None:
        # Made absolute, since the folder name is signed and "." is not a name.
        return replace(weights, adapter=Path(os.path.abspath(arguments.expanded(adapter))))
    if weights.adapter is not None and not weights.adapter.is_dir():
        raise FileNotFoundError(
            f"{name} ships with an adapter, but this installation has no folder {weights.adapter}: "
            "install answersim again, or give your own adapter with adapter=, or your own model with model="
        )
    return weights


def _checkpoint(name: str, weights: Weights) -> Checkpoint:
    """Return the folder of weights. The error for weights that were never published names the owner."""
    if weights.public:
        try:
            return find(weights.model, revision=weights.revision)
        except CheckpointNotFoundError as error:
            raise CheckpointNotFoundError(f"{error}; or {NO_NETWORK}") from None
    home = os.environ.get(MODELS_VARIABLE)
    folder = Path(home) / weights.model if home else None
    if folder is not None and has_weights(folder):
        return find(folder.absolute())
    where = f"{folder}: no weights there" if folder else "not set"
    raise CheckpointNotFoundError(
        f"no weights for {weights.model!r}, the paper's model trained on names: they were never published on a hub. "
        f"Tried: ${MODELS_VARIABLE} ({where}). To fix this: put your copy into ${MODELS_VARIABLE}/{weights.model}, "
        f"name its folder with model=, or use the profile 'embedded', whose {name} ships"
    )


def network(
    name: str,
    lang: str,
    profile: str | None,
    model: str | os.PathLike[str] | None,
    adapter: str | os.PathLike[str] | None,
    device: Device,
    *,
    reads_pairs: bool = False,
) -> tuple[Any, Weights]:
    """Return the encoder of texts, or the scorer of pairs, of a metric on the engine that runs it, and its weights."""
    weights = _weights(name, lang, profile, model, adapter)
    if check_extra(name) == "numpy":
        module, names = "engines.numpy_engine", ("NumpyTransformer", "NumpyPairTransformer")
    else:
        module, names = "transformer", ("Transformer", "PairTransformer")
    kind = getattr(imported(f"answersim.metrics.neural.{module}"), names[reads_pairs])
    return kind(checkpoint=_checkpoint(name, weights), adapter=weights.adapter, device=device), weights


def check_extra(name: str) -> str:
    """Return the engine that runs the network of this metric, and import it. See ``engine`` for what it raises."""
    chosen = engine(name)
    if chosen == "torch":
        wait_passively()
    imported("answersim.metrics.neural.transformer")
    return chosen


def length(max_length: int | None, most: int) -> int | None:
    """Return this number of tokens. Raise ValueError if the encoder does not read so many, or it is below 3."""
    if max_length is not None and not 3 <= max_length <= most:
        raise ValueError(f"max_length is {max_length}, but this encoder reads 3 to {most} tokens")
    return max_length
