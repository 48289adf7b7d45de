"""Published answer-selection systems, evaluated with ranking measures and answer similarity.

Each name is imported at its first use (PEP 562).
"""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules
from rankers import name_clash

if TYPE_CHECKING:
    from rankers import data
    from rankers.api import evaluate, fit, load, rank, rank_table, run, score, windowed
    from rankers.systems.catalog import names
    from rankers.types import Candidate, Question, Questions, RankedCandidate, Ranker, Run

__all__ = [
    "Candidate",
    "Question",
    "Questions",
    "RankedCandidate",
    "Ranker",
    "Run",
    "data",
    "evaluate",
    "fit",
    "load",
    "names",
    "rank",
    "rank_table",
    "run",
    "score",
    "windowed",
]

_OF_TYPES = ("Candidate", "Question", "Questions", "RankedCandidate", "Ranker", "Run")
_OF_API = ("evaluate", "fit", "load", "rank", "rank_table", "run", "score", "windowed")
_HOMES = {**dict.fromkeys(_OF_TYPES, "types"), **dict.fromkeys(_OF_API, "api"), "names": "systems.catalog"}

__getattr__ = submodules(__name__, ["data"], _HOMES)

name_clash.warn()
