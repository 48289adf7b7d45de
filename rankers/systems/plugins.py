"""Rankers of installed packages, by entry points of the group ``answersim.rankers``."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

from answersim._base.errors import PluginError
from rankers.types import Ranker

GROUP = "answersim.rankers"


def names() -> list[str]:
    """Return the names of the rankers that installed packages offer, sorted."""
    return sorted({point.name for point in entry_points(group=GROUP)})


def build(name: str) -> Ranker:
    """Return the ranker that an installed package offers under this name.

    The entry point is a function without required arguments, or a class, whose result is a ``Ranker``.

    Raises:
        PluginError: If several packages offer the name, its module fails, or the result is not a ranker.
    """
    points = [point for point in entry_points(group=GROUP) if point.name == name]
    if not points:
        raise PluginError(f"no installed package offers a ranker called {name!r} ({GROUP})")
    if len({point.value for point in points}) > 1:
        raise PluginError(
            f"{len(points)} packages offer a ranker called {name!r}: {', '.join(map(_origin, points))}; uninstall all "
            "but one"
        )
    try:
        ranker = points[0].load()()
    except Exception as error:  # a package may raise anything
        raise PluginError(
            f"the ranker {name!r} of {_origin(points[0])} cannot be loaded: {type(error).__name__}: {error}; update or "
            "uninstall the package"
        ) from error
    if not isinstance(ranker, Ranker):
        raise PluginError(
            f"{_origin(points[0])} returns {ranker!r:.60} for the ranker {name!r}, but a ranker has 'signature' and "
            "'score'; see the page 'Your own ranker'"
        )
    return ranker


def _origin(point: EntryPoint) -> str:
    """Return the package of an entry point, and its value."""
    distribution = getattr(point, "dist", None)
    package = f"{distribution.name} {distribution.version}" if distribution is not None else "an installed package"
    return f"{package} ({point.value})"
