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

TYPED = "typed+"  # opens the names of metrics that are overruled by rules
WEIGHTS = Path(__file__).with_name("weights.json")
# The parts of ``answersim``. Its weights are for these, in this order.
PARTS = (
    *("sas", "bertscore-answers", "bi-encoder-answers", "bertscore-names", "bertscore-trained"),
    *("recall", "containment"),
)


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
        part: A function that builds a part from its name, a language and the options of its network.
        lang: The language of the answers.
        profile: "embedded" or None; the weights were fitted for no other.
        precision: The precision of the networks.
        device: Where the networks run.
        batch_tokens: The most tokens that go through a network at a time.
    """
    if profile not in (None, "embedded"):
        if profile not in PROFILES:
            raise unknown("profile of weights", profile, PROFILES)
        raise LookupError(f"answersim's weights were fitted for the profile 'embedded'; there are none for {profile!r}")
    check_extra()
    from answersim.composite.ensemble import AnswerSimilarity, read_weights

    weights = read_weights()
    running: dict[str, Any] = {"precision": precision, "device": device, "batch_tokens": batch_tokens}
    return AnswerSimilarity(tuple(part(name, lang, **running) for name in weights.parts), weights, language(lang))


def typed(base: Metric, lang: str) -> Metric:
    """Build ``typed+NAME`` around the metric of this name, for answers in this language."""
    from answersim.composite.typed import TypedMetric

    return TypedMetric(base, language(lang))
