"""A warning if another distribution has installed a package that is called ``rankers`` too."""

from __future__ import annotations

import os
import sys
import warnings

OTHER = "rankers"  # the name of another distribution on the index; this package is in the distribution "answersim"


def warn() -> None:
    """Warn if the distribution ``rankers`` is installed, whose files have the same names as those of this package.

    Which of the two packages ``import rankers`` finds depends on the order of installation. Folders are listed first,
    because ``importlib.metadata`` takes as long to import as all of this package.
    """
    places = [place for place in sys.path if os.path.isdir(place)]
    if not any(name.startswith((f"{OTHER}-", f"{OTHER}.egg")) for place in places for name in os.listdir(place)):
        return
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        version = distribution(OTHER).version
    except PackageNotFoundError:
        return
    warnings.warn(
        f"the distribution {OTHER!r} {version} is installed beside 'answersim', and both have a top-level package "
        "'rankers', so the files of one may replace those of the other; uninstall it (pip uninstall rankers) "
        "and install answersim again, or use two environments",
        stacklevel=3,
    )
