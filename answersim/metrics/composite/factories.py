"""Factories of the composite metrics. They receive the function of the catalog that builds the parts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from answersim._base import arguments
from answersim._base.device import Device
from answersim._base.errors import unknown
from answersim._base.signature import escaped, unescaped
from answersim.answers.text import language
from answersim.metrics.checkpoints.search import read_json
from answersim.metrics.neural.factories import check_extra
from answersim.metrics.profiles import MULTILINGUAL, PROFILES, WORDS
from answersim.types import Metric

# profiles that weights were fitted for; "words" has none to fit
FITTED = ("embedded", "strong", MULTILINGUAL, WORDS)
TYPED_OPTIONS = ("choices", "tolerance", "units")  # of typed+NAME
# The parts of ``answersim``. Its weights are for these, in this order.
PARTS = ("sas-answers", "bertscore-names", "recall", "containment")


def weights_file(profile: str | None) -> Path:
    """Return the file of the weights that were fitted for this profile. Raise LookupError if there are none."""
    profile = profile or FITTED[0]
    if profile not in PROFILES:
        raise unknown("profile of weights", profile, PROFILES)
    if profile not in FITTED:
        raise LookupError(
            f"the weights of answersim were fitted for the profiles {', '.join(FITTED)}; there are none for {profile!r}"
        )
    return Path(__file__).parent / "weights" / f"{profile}.json"


def parts_of(profile: str | None) -> tuple[str, ...]:
    """Return the parts of ``answersim`` in a profile, in order. Raise LookupError as ``weights_file``."""
    return tuple(read_json(weights_file(profile)).get("parts", ()))


def answersim(
    part: Callable[..., Metric],
    /,
    *,
    lang: str,
    profile: str | None,
    device: Device = Device(),
) -> Metric:
    """Build ``answersim``, the learned ensemble.

    Args:
        part: A function that builds a part from its name, a language, a profile and a device.
        lang: The language of the answers.
        profile: One of ``FITTED``; None means "embedded".
        device: Where the networks run.
    """
    path = weights_file(profile)
    if profile != WORDS:
        check_extra("answersim")
    from answersim.metrics.composite.ensemble import AnswerSimilarity, read_weights

    weights = read_weights(path)
    parts = tuple(part(name, lang, profile, device=device) for name in weights.parts)
    return AnswerSimilarity(parts, weights, language(lang))


def typed(
    base: Metric, lang: str, choices: Any = (), tolerance: float | str | None = None, units: str | None = None
) -> Metric:
    """Build ``typed+NAME``.

    Args:
        base: The metric of this name.
        lang: The language of the answers.
        choices: The texts of the options of a multiple-choice question, also as a JSON list or as a signature has it.
        tolerance: Of numbers and formulas, see ``answersim.answers.typed.compare_math``. If it or ``units`` is given,
            the other one is its default.
        units: Likewise.

    Raises:
        TypeError, ValueError: If an option has another type or value.
    """
    from answersim.answers.typed.api import math_options
    from answersim.metrics.composite.typed import TypedMetric

    if isinstance(choices, str) and choices.startswith(("[", escaped("["))):
        choices = json.loads(choices if choices.startswith("[") else unescaped(choices))
    listed = tuple(arguments.texts("choices", choices or ()))
    given = tolerance is not None or units is not None
    options = math_options("exact" if tolerance is None else tolerance, units or "optional") if given else None
    return TypedMetric(base, language(lang), listed, options)
