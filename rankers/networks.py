"""Every kind of network, by name: its module, its settings and how these go into JSON and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from importlib import import_module
from typing import TYPE_CHECKING, Any

from answersim.errors import unknown

if TYPE_CHECKING:
    from torch import nn

# The file of rankers.models and the class in it; its settings are the file's Config.
KINDS: Mapping[str, tuple[str, str]] = {
    "match-pyramid": ("match_pyramid", "Network"),
    "dmn": ("dmn", "Network"),
    "man": ("man", "Network"),
    "qa-lstm": ("qa_lstm", "QaLstm"),
    "ctrn": ("ctrn", "Ctrn"),
    "self-attention": ("ggsa", "SelfAttention"),
}


def network(kind: str) -> type[nn.Module]:
    """The class of this kind of network: built from its settings and an embedding, it takes a ``Batch`` to scores."""
    file, name = _place(kind)
    return getattr(import_module(f"rankers.models.{file}"), name)


def config(kind: str) -> Any:
    """The class of this kind's settings: a frozen dataclass with ``paper()`` and ``cpu()``."""
    return import_module(f"rankers.models.{_place(kind)[0]}").Config


def to_dict(settings: Any) -> dict[str, Any]:
    """The settings of a network, as JSON can hold them."""
    return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(settings).items()}


def from_dict(kind: str, stated: Mapping[str, Any]) -> Any:
    """The settings that ``to_dict`` gave.

    Raises:
        ValueError: A setting that this kind does not have; names it.
    """
    made = config(kind)
    known = {each.name for each in fields(made)}
    if strange := sorted(set(stated) - known):
        raise ValueError(f"{kind} has no setting {', '.join(strange)}; it has {', '.join(sorted(known))}")
    return made(**{key: tuple(value) if isinstance(value, list) else value for key, value in stated.items()})


def _place(kind: str) -> tuple[str, str]:
    if kind not in KINDS:
        raise unknown("network", kind, KINDS)
    return KINDS[kind]
