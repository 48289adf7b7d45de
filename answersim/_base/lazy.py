"""Modules of a room that are imported at their first use (PEP 562)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from types import ModuleType


def submodules(package: str, names: Sequence[str]) -> Callable[[str], ModuleType]:
    """Return a ``__getattr__`` for a package that imports these submodules of it at their first use.

    >>> submodules("answersim", ["stats"])("stats").__name__
    'answersim.stats'
    """

    def get(name: str) -> ModuleType:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return import_module(f"{package}.{name}")

    return get
