"""Modules and names of a room that are imported at their first use (PEP 562)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def submodules(package: str, modules: Sequence[str], homes: Mapping[str, str] | None = None) -> Callable[[str], Any]:
    """Return a ``__getattr__`` for a package that imports its submodules and names at their first use, and keeps them.

    A package sets it under ``if not TYPE_CHECKING``. A type checker that sees it accepts any name of the package.
    ``package``: its full name. ``modules``: the names of its submodules. ``homes``: for other names of the package, the
    submodule that each is from. Such a name may be that of the submodule too, and then stands for the name in it.
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
