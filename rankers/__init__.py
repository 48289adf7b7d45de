"""Published answer-selection systems, evaluated with ranking measures and answer similarity."""

from rankers import data, name_clash
from rankers.api import evaluate, fit, load, rank, rank_table, run, score, windowed
from rankers.systems.catalog import names
from rankers.types import Candidate, Question, Questions, RankedCandidate, Ranker, Run

name_clash.warn()

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
