"""The search for the checkpoints of rankers. A ranker that is loaded from a folder never uses the network."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from answersim._base.errors import CheckpointNotFoundError
from answersim.metrics.checkpoints import search
from answersim.metrics.checkpoints.search import Checkpoint

_network: ContextVar[bool] = ContextVar("network", default=True)


@contextmanager
def no_network() -> Iterator[None]:
    """Restrict ``checkpoint`` to this machine."""
    token = _network.set(False)
    try:
        yield
    finally:
        _network.reset(token)


def checkpoint(name: str | os.PathLike[str]) -> Checkpoint:
    """Return the checkpoint of this name, from the first place of ``checkpoints.search.find`` that has it.

    Raise CheckpointNotFoundError if no place has it. Raise TypeError if the name is neither a string nor a path.
    """
    if not isinstance(name, str | os.PathLike) or not os.fspath(name) or "\0" in os.fspath(name):
        raise TypeError(f"the checkpoint is {name!r:.60}, but it must be the name of a checkpoint or a folder")
    network = _network.get()
    try:
        return search.find(name, network=network)
    except CheckpointNotFoundError as error:
        if network:
            raise
        raise CheckpointNotFoundError(
            f"{error} (this ranker needs it, and rankers are loaded without the network: put the checkpoint there, or "
            f"install the package that contains it, and load the ranker again)"
        ) from None
