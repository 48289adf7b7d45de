"""Modules and names of a room that are imported at their first use (PEP 562)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def submodules(package: str, modules: Sequence[str], homes: Mapping[str, str] | None = None) -> Callable[[str], Any]:
    """Return a ``__getattr__`` for a package that imports its submodules and names at their first use, and keeps them.

    A package sets it under ``if not TYPE_CHECKING``. A type checker that sees it accepts any name of the package.

    Args:
        package: The full name of the package.
        modules: The names of its submodules.
        homes: For other names of the package, the submodule that each is from. Such a name may be that of the submodule
            too, and then stands for the name in it.

    >>> submodules("answersim", ["stats"])("stats").__name__
    'answersim.stats'
    >>> submodules("answersim.stats.coefficients", [], {"kendall": "kendall"})("kendall").__name__
    'kendall'
    """

    def get(name: str) -> Any:
        if homes is not None and name in homes:
            value = getattr(import_module(f"{package}.{homes[name]}"), name)
        elif name in modules:
            value = import_module(f"{package}.{name}")
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(sys.modules[package], name, value)
        return value

    return get
