"""The metrics of other packages: finding, checking and building them.

An installed package can offer further metrics, called plug-ins, as entry points of the group ``answersim.metrics``:
``docs/python.md`` has their contract, and ``answersim.metrics.testing.check_metric`` tests one. The first line of the
docstring of its function, or the summary of its definition, is shown by ``answersim show``. A plug-in that breaks the
contract raises ``PluginError`` when it is used. The other metrics stay usable.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from answersim._base import arguments
from answersim._base.errors import PluginError
from answersim.types import Definition, Metric

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINTS = "answersim.metrics"


def points() -> list[EntryPoint]:
    """Return the entry points of all plug-ins that are installed, also of those that cannot be used."""
    from importlib.metadata import entry_points  # it takes longer to import than the rest of the catalog

    return list(entry_points(group=ENTRY_POINTS))


def definition(name: str) -> Definition | None:
    """Return the checked definition that an installed package offers under this name; None if there is none."""
    found = [point for point in points() if point.name == name]
    if not found:
        return None
    if len({point.value for point in found}) > 1:
        raise PluginError(
            f"{len(found)} plug-ins are called {name!r}: {', '.join(map(origin, found))}; uninstall all but one"
        )
    point = found[0]
    try:
        target = point.load()
    except (Exception, SystemExit) as error:  # the import of another package may raise anything
        raise _broken(point, f"cannot be imported ({type(error).__name__}: {error})", "install it again") from error
    build = target.build if isinstance(target, Definition) else target
    must = "a function that takes lang= and profile= and returns a metric"
    if not callable(build):
        raise _broken(point, f"is {arguments.shown(build)}", f"it must be {must}")
    try:
        parameters = inspect.signature(build)
    except (TypeError, ValueError) as error:
        raise _broken(point, f"has parameters that cannot be read ({error})", f"it must be {must}") from error
    try:
        parameters.bind(lang="en", profile=None)
    except TypeError as error:
        raise _broken(point, f"has the parameters {parameters} ({error})", f"it must be {must}") from error
    if isinstance(target, Definition):
        return replace(target, name=name, kind="plug-in")
    summary = (inspect.getdoc(build) or "a metric of an installed plug-in").splitlines()[0]
    place = f"{getattr(build, '__module__', '?')}.{getattr(build, '__qualname__', type(build).__name__)}"
    return Definition(name, "plug-in", summary, place, build)


def build(
    plugin: Definition, lang: str, profile: str | None, options: Mapping[str, Any], is_taken: Callable[[str], bool]
) -> Metric:
    """Return the metric of a plug-in, checked. ``is_taken``: whether a name is that of another metric."""
    name = plugin.name
    point = next(point for point in points() if point.name == name)
    try:
        built = plugin.build(lang=lang, profile=profile, **options)
        signed = getattr(built, "signature", None)
    except (Exception, SystemExit) as error:
        keywords = ", ".join(f"{key}={value!r}" for key, value in {"lang": lang, "profile": profile, **options}.items())
        raise _broken(point, f"failed for {keywords}", f"{type(error).__name__}: {error}") from error
    if isinstance(built, type) or not isinstance(built, Metric):
        raise _broken(
            point,
            f"returned {arguments.shown(built)}",
            "it must return a metric: an object with a signature that is called with pairs",
        )
    if not isinstance(signed, str) or not signed.strip() or len(signed.splitlines()) != 1:
        raise _broken(
            point,
            f"returned a metric with the signature {arguments.shown(signed)}",
            f"a signature is one line of text, such as '{name}|v:1'",
        )
    begins = signed.partition("|")[0].strip()
    if is_taken(begins) and not type(built).__module__.startswith("answersim."):
        raise _broken(
            point,
            f"returned a metric with the signature {signed!r}, which begins with the name of a metric of answersim",
            f"its scores would be used as those of {begins}; begin the signature with {name!r}",
        )
    return built


def origin(point: EntryPoint) -> str:
    """Return the target of an entry point and the package that it belongs to."""
    package = getattr(point, "dist", None)
    return point.value if package is None else f"{point.value} of the package {package.name} {package.version}"


def _broken(point: EntryPoint, problem: str, remedy: str) -> PluginError:
    return PluginError(f"the plug-in {point.name!r} ({origin(point)}) {problem}; {remedy}")
