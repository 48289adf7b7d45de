"""The metric that scores if none is named: ``answersim`` where its extra is installed, else ``recall``."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import lru_cache
from importlib.util import find_spec

from answersim import checkpoints
from answersim.errors import DefaultMetricWarning, warn_user

LEARNED, LEXICAL = "answersim", "recall"
SENTENCE = 6  # words from which on a prediction counts as a sentence
_MODEL = "all-MiniLM-L6-v2"


def default_metric(profile: str | None = None) -> str:
    """Return the name of the metric that scores if none is named.

    "answersim", if torch, transformers and its weights are installed (the extra 'embedded') and the profile has it.
    Otherwise "recall", which agrees with annotators on long predictions far better than ``em`` and ``f1``.

    Args:
        profile: The profile of the call. ``answersim`` exists in the default one, "embedded", only.
    """
    there = profile in (None, "embedded") and _installed(os.environ.get(checkpoints.MODELS_VARIABLE))
    return LEARNED if there else LEXICAL


@lru_cache(maxsize=8)
def _installed(models: str | None) -> bool:
    """Return whether ``answersim`` can be computed; ``models`` is the folder of models that the user has set."""
    return all(find_spec(name) for name in ("torch", "transformers")) and checkpoints.is_here(_MODEL)


def sentences(preds: Iterable[str]) -> int:
    """Return how many predictions are sentences: those of at least six words.

    >>> sentences(["Rome", "The capital of Italy is Rome."])
    1
    """
    return sum(pred.count(" ") + 1 >= SENTENCE and len(pred.split()) >= SENTENCE for pred in preds)


def warn_of_sentences(count: int, n: int) -> None:
    """Warn if at least half of n predictions are sentences, because ``recall`` was the default for them.

    Args:
        count: How many predictions are sentences.
        n: The number of predictions.
    """
    if n and 2 * count >= n:
        warn_user(DefaultMetricWarning(count, n, LEXICAL))
