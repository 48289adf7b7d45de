"""Published answer-selection systems, evaluated with ranking measures and answer similarity.

Each name is imported at its first use (PEP 562).
"""

import os
import sys
import warnings
from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from rankers import data as data
    from rankers.api import evaluate as evaluate
    from rankers.api import fit as fit
    from rankers.api import load as load
    from rankers.api import rank as rank
    from rankers.api import rank_table as rank_table
    from rankers.api import run as run
    from rankers.api import score as score
    from rankers.systems.catalog import names as names
    from rankers.types import Candidate as Candidate
    from rankers.types import Question as Question
    from rankers.types import Questions as Questions
    from rankers.types import RankedCandidate as RankedCandidate
    from rankers.types import Ranker as Ranker
    from rankers.types import Run as Run

_OF_TYPES = ("Candidate", "Question", "Questions", "RankedCandidate", "Ranker", "Run")
_OF_API = ("evaluate", "fit", "load", "rank", "rank_table", "run", "score")
_HOMES = {**dict.fromkeys(_OF_TYPES, "types"), **dict.fromkeys(_OF_API, "api"), "names": "systems.catalog"}
__all__ = sorted(("data", *_HOMES))

if not TYPE_CHECKING:
    __getattr__ = submodules(__name__, ["data"], _HOMES)


def _warn_of_the_other_rankers() -> None:
    """Warn if the distribution ``rankers`` is installed, whose files have the same names as those of this package.

    Which of the two packages ``import rankers`` finds depends on the order of installation. Folders are listed first,
    because ``importlib.metadata`` takes as long to import as all of this package.
    """
    places = [place for place in sys.path if os.path.isdir(place)]
    if not any(name.startswith((f"{__name__}-", f"{__name__}.egg")) for place in places for name in os.listdir(place)):
        return
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        version = distribution(__name__).version
    except PackageNotFoundError:
        return
    warnings.warn(
        f"the distribution {__name__!r} {version} is installed beside 'answersim', and both have a top-level package "
        "'rankers', so the files of one may replace those of the other; uninstall it (pip uninstall rankers) "
        "and install answersim again, or use two environments",
        stacklevel=3,
    )


_warn_of_the_other_rankers()
