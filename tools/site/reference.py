"""The reference pages of Python: one per public module, which Sphinx fills from the docstrings, and their index."""

from __future__ import annotations

import ast
import inspect
import textwrap
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import ModuleType

from tools.site.commands import PROGRAMS
from tools.site.sources import ROOT

PACKAGES = ("answersim", "rankers")
INDEX = "reference/index"
_FOR_TOOLS = "PYTEST_DONT_REWRITE"  # begins a paragraph of a docstring that a program reads


def public_modules(root: Path = ROOT) -> tuple[str, ...]:
    """Return the public modules: each package whose ``__init__`` exports names, and not only its own modules.

    >>> public_modules()[:3]
    ('answersim', 'answersim.answers.extraction', 'answersim.answers.relation')
    """
    modules = []
    for path in (path for package in PACKAGES for path in sorted((root / package).rglob("__init__.py"))):
        parts = path.parent.relative_to(root).parts
        is_private = len(parts) > 3 or any(part.startswith("_") for part in parts)  # below a folder of a room
        if not is_private and "\n__all__ = " in path.read_text(encoding="utf-8"):
            module, beside = ".".join(parts), {entry.stem for entry in path.parent.iterdir()}
            modules += [module] if set(import_module(module).__all__) - beside else []
    return tuple(modules)


def public_names(module: str) -> list[str]:
    """Return the names of the public functions, classes and constants of a module, without its modules.

    >>> public_names("answersim.metrics.testing")
    ['check_metric']
    """
    loaded = import_module(module)
    names = getattr(loaded, "__all__", None) or [
        name
        for name, value in vars(loaded).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module
    ]
    return [name for name in names if not name.startswith("__") and not isinstance(getattr(loaded, name), ModuleType)]


MODULES = public_modules()


def reference_pages() -> dict[str, str]:
    """Return the reference pages in reStructuredText by their path: an index, and one page per module."""
    summary = "The public API, from the docstrings, and the commands. Other modules may move between versions."
    entries = "".join(f"   {page}\n" for page in (*MODULES, *(f"command-{program}" for program in PROGRAMS), "options"))
    index = f"{heading('Reference')}{summary}\n\n.. toctree::\n   :maxdepth: 1\n\n{entries}"
    return {f"{INDEX}.rst": index, **{f"reference/{module}.rst": _page(module) for module in MODULES}}


def _page(module: str) -> str:
    loaded = import_module(module)
    about = [part for part in (inspect.getdoc(loaded) or "").split("\n\n") if not part.startswith(_FOR_TOOLS)]
    parts = [heading(module), "\n\n".join((f".. currentmodule:: {module}", *about, ""))]
    for title, chosen in (
        ("Functions", inspect.isroutine),
        ("Classes", inspect.isclass),
        ("Constants and types", lambda value: not (inspect.isroutine(value) or inspect.isclass(value))),
    ):
        names = [name for name in public_names(module) if chosen(getattr(loaded, name))]
        if names:
            parts.append(heading(title, "-"))
            parts += [_directive(loaded, name) for name in sorted(names)]
    return "".join(parts)


def _directive(loaded: ModuleType, name: str) -> str:
    """Return the directive of a name. The fields of a class are listed under Attributes already."""
    value, full = getattr(loaded, name), f"{loaded.__name__}.{name}"
    if inspect.isroutine(value):
        return f".. autofunction:: {full}\n\n"
    if not inspect.isclass(value):
        about = _stated(loaded.__name__, name)
        if about is None:
            return f".. autodata:: {full}\n   :no-value:\n\n"
        return f".. data:: {full}\n\n{textwrap.indent(about, '   ')}\n\n"
    fields = [*getattr(value, "_fields", ()), *getattr(value, "__dataclass_fields__", ())]
    hidden = f"   :exclude-members: {', '.join(fields)}\n" if fields else ""
    again = "   :no-index:\n" if _first_pages()[value] != loaded.__name__ else ""
    return f".. autoclass:: {full}\n   :members:\n{again}{hidden}\n"


@cache
def _first_pages() -> dict[type, str]:
    """Return the first module that exports each class: several rooms may export one."""
    pages: dict[type, str] = {}
    for module in MODULES:
        loaded = import_module(module)
        for name in public_names(module):
            if inspect.isclass(value := getattr(loaded, name)):
                pages.setdefault(value, module)
    return pages


def _stated(module: str, name: str) -> str | None:
    """Return the text below a constant where it is defined, which a module that exports it does not have."""
    tree = ast.parse(inspect.getsource(import_module(module)))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and name in (a.asname or a.name for a in node.names):
            original = next(a.name for a in node.names if name == (a.asname or a.name))
            return _stated(node.module, original) if node.module.startswith(PACKAGES) else None
    for node, below in pairwise(tree.body):
        targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
        if name in map(ast.unparse, targets) and isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            return inspect.cleandoc(str(below.value.value))
    return None


def heading(text: str, line: str = "=") -> str:
    r"""Return a heading in reStructuredText.

    >>> heading("f1")
    'f1\n==\n\n'
    """
    return f"{text}\n{line * len(text)}\n\n"
