"""How close is a predicted answer to the gold answer in meaning, and how was that number made?"""

from answersim import data
from answersim.catalog import metric, names
from answersim.scoring import score, score_pairs
from answersim.signature import VERSION as __version__
from answersim.types import Interval, Metric, Pair, Score, Scores

__all__ = [
    "Interval",
    "Metric",
    "Pair",
    "Score",
    "Scores",
    "__version__",
    "data",
    "metric",
    "names",
    "score",
    "score_pairs",
]
