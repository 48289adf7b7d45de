"""Factories of the composite metrics. They receive the function that builds the parts from the catalog above."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from answersim.errors import unknown
from answersim.neural.factories import check_extra
from answersim.profiles import PROFILES
from answersim.text import language
from answersim.types import Metric

FITTED = ("embedded", "strong")  # profiles that weights were fitted for
TYPED = "typed+"  # opens the names of metrics that are overruled by rules
# The parts of ``answersim``. Its weights are for these, in this order.
PARTS = ("sas-answers", "bertscore-names", "recall", "containment")


def weights_file(profile: str | None) -> Path:
    """Return the file of the weights that were fitted for this profile.

    Raises:
        LookupError: If there are none.
    """
    profile = profile or FITTED[0]
    if profile not in PROFILES:
        raise unknown("profile of weights", profile, PROFILES)
    if profile not in FITTED:
        raise LookupError(
            f"answersim's weights were fitted for the profiles {' and '.join(FITTED)}; there are none for {profile!r}"
        )
    return Path(__file__).parent / "weights" / f"{profile}.json"


def answersim(
    part: Callable[..., Metric],
    /,
    *,
    lang: str,
    profile: str | None,
    precision: str = "fp32",
    device: str = "auto",
    batch_tokens: int = 8192,
) -> Metric:
    """Build ``answersim``, the learned ensemble.

    Args:
        part: A function that builds a part from its name, a language, a profile and the options of its network.
        lang: The language of the answers.
        profile: "embedded", which None means, or "strong"; the weights were fitted for no other.
        precision: The precision of the networks.
        device: Where the networks run.
        batch_tokens: The most tokens that go through a network at a time.
    """
    path = weights_file(profile)
    check_extra()
    from answersim.composite.ensemble import AnswerSimilarity, read_weights

    weights = read_weights(path)
    running: dict[str, Any] = {"precision": precision, "device": device, "batch_tokens": batch_tokens}
    parts = tuple(part(name, lang, profile, **running) for name in weights.parts)
    return AnswerSimilarity(parts, weights, language(lang))


def typed(base: Metric, lang: str) -> Metric:
    """Build ``typed+NAME`` around the metric of this name, for answers in this language."""
    from answersim.composite.typed import TypedMetric

    return TypedMetric(base, language(lang))
