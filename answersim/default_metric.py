"""The metric that scores if none is named: ``answersim`` if its extra is installed, else ``recall``."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import lru_cache
from importlib.util import find_spec

from answersim import checkpoints
from answersim.errors import DefaultMetricWarning, warn_user

LEARNED, LEXICAL = "answersim", "recall"
SENTENCE = 6  # the number of words from which on a prediction counts as a sentence
_MODELS = {  # the models that ``answersim`` runs, by profile
    None: ("all-MiniLM-L6-v2",),
    "embedded": ("all-MiniLM-L6-v2",),
    "strong": ("all-MiniLM-L6-v2", "all-mpnet-base-v2"),
}


def default_metric(profile: str | None = None) -> str:
    """Return the name of the metric that scores if none is named.

    "answersim", if torch, transformers and its weights are installed (the extra 'embedded') and the profile has it.
    Otherwise "recall", which agrees with annotators on long predictions far better than ``em`` and ``f1``.

    Args:
        profile: The profile of the call. ``answersim`` exists in "embedded", which is the default, and in "strong".
    """
    models = _MODELS.get(profile, ())
    return LEARNED if models and _installed(models, os.environ.get(checkpoints.MODELS_VARIABLE)) else LEXICAL


@lru_cache(maxsize=8)
def _installed(models: tuple[str, ...], folder: str | None) -> bool:
    """Return whether these models can be run. ``folder`` is the folder of models that the user has set."""
    return all(map(find_spec, ("torch", "transformers"))) and all(map(checkpoints.is_here, models))


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
