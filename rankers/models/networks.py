"""Every kind of network by name, with its module, its settings and their conversion to and from JSON."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from answersim._base.errors import unknown
from answersim._base.io import records

if TYPE_CHECKING:
    from torch import nn

    from rankers.modules.batch import Embedding

# The module of rankers.models and the class in it. Its settings are the Config of the module.
KINDS: Mapping[str, tuple[str, str]] = {
    "match-pyramid": ("match_pyramid", "Network"),
    "dmn": ("dmn", "Network"),
    "man": ("man", "Network"),
    "qa-lstm": ("qa_lstm", "QaLstm"),
    "ctrn": ("ctrn", "Ctrn"),
    "self-attention": ("ggsa", "SelfAttention"),
    "scan": ("scan", "Network"),
    "addax": ("addax", "Network"),
    "late-interaction": ("late_interaction", "Network"),
    "hybrid": ("hybrid", "Network"),
}


def network(kind: str) -> type[nn.Module]:
    """Return the class of this kind of network, built from settings and an embedding; it maps a ``Batch`` to scores."""
    file, name = _place(kind)
    return getattr(import_module(f"rankers.models.{file}"), name)


def config(kind: str) -> Any:
    """Return the class of the settings of this kind: a frozen dataclass with ``paper()`` and ``cpu()``."""
    return _module(kind).Config


def from_json(kind: str, stated: Mapping[str, Any]) -> Any:
    """Return the settings of a network that ``answersim._base.io.records.to_json`` returned.

    Raise ValueError if this kind does not have a setting. The message names it.
    """
    return records.from_json(config(kind), stated, kind)


def adopts(kind: str) -> bool:
    """Return whether a network of this kind has additional parts, so that it is built anew before it adopts weights."""
    return hasattr(_module(kind), "adopt")


def adopt(kind: str, network: nn.Module, start: nn.Module) -> None:
    """Copy the weights of another network, except for the parts that the other network lacks.

    Raise ValueError if the other network lacks weights that are to be copied. The message names them.
    """
    _module(kind).adopt(network, start)


def plain(kind: str, network: nn.Module, settings: Any, embedding: Embedding) -> tuple[nn.Module, Any]:
    """Return the part of a trained network that ranks, without parts for training only, and its settings."""
    module = _module(kind)
    if not hasattr(module, "plain"):
        return network, settings
    stripped = module.plain(network, embedding)
    return stripped, stripped.config


def _module(kind: str) -> Any:
    return import_module(f"rankers.models.{_place(kind)[0]}")


def _place(kind: str) -> tuple[str, str]:
    if kind not in KINDS:
        raise unknown("network", kind, KINDS)
    return KINDS[kind]
