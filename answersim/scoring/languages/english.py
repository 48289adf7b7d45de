"""The warning that metrics read answers as English which are in another language."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, repeat

from answersim._base.errors import DetectedLanguageWarning, warn_user
from answersim.answers.text.languages import SUPPORT, text_language
from answersim.metrics.checkpoints.profiles import ENGLISH, WEIGHTS
from answersim.types import Metric, Pair

FEW = 4  # predictions below which texts do not show their language
_ROWS = 10_000  # pairs that are looked at
# The names of the encoders that were made for English alone.
_ENGLISH_MODELS = {
    weights.model.rpartition("/")[2]
    for profiles in WEIGHTS.values()
    for name in ENGLISH
    for weights in profiles.get(name, {}).values()
}


def warn_of_language(metrics: Iterable[Metric], pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> None:
    """Warn once if metrics read these answers as English, but they look as if they were in another language."""
    built = list(metrics)
    by_setting = [metric for metric in built if {"text:en", "lang:en"} & set(metric.signature.split("|"))]
    english = by_setting or [metric for metric in built if _has_english_weights(metric)]
    if not english:
        return
    rows = zip(zip(questions or repeat("")), pairs[:_ROWS], strict=False)  # ((question,), pair)
    guessed = text_language(chain.from_iterable(chain.from_iterable(rows)))
    if guessed is None:
        return
    with_rules = SUPPORT["values"]
    rules = "" if guessed.code in with_rules else f". Rules for values in words exist for {', '.join(with_rules)} only"
    weights = "" if by_setting else "its weights are English: "
    remedy = f"{weights}give --lang {guessed.code} (lang={guessed.code!r}), if that is their language{rules}"
    names = ", ".join(dict.fromkeys(metric.signature.partition("|")[0] for metric in english))
    # Without counts, which differ between systems, so that it is issued once for all of them.
    problem = f"the answers look {guessed.name}, but {names} reads them as English; {remedy}"
    warn_user(DetectedLanguageWarning(problem), once=True)


def _has_english_weights(metric: Metric) -> bool:
    """Return whether the encoder in the signature of this metric was made for English alone."""
    parts = dict(field.partition(":")[::2] for field in metric.signature.split("|")[1:])
    weights = parts.get("encoder") or parts.get("scorer") or ""
    return weights.partition("@")[0] in _ENGLISH_MODELS
