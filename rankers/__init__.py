"""Published answer-selection systems, judged by ranking measures and by answer similarity."""

from rankers import data, name_clash
from rankers.api import evaluate, fit, load, run, score
from rankers.systems.catalog import names
from rankers.types import Candidate, Question, Questions, Ranker, Run

name_clash.warn()

__all__ = [
    "Candidate",
    "Question",
    "Questions",
    "Ranker",
    "Run",
    "data",
    "evaluate",
    "fit",
    "load",
    "names",
    "run",
    "score",
]
