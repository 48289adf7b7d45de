"""What lexical metrics share: the factory of those on tokens, and the check of a profile."""

from __future__ import annotations

from collections.abc import Callable

from answersim._base.errors import unknown
from answersim.answers.text.tokens import BY_LANGUAGE, PROFILES, Tokenizer, squad_or_plain_words, tokenizer
from answersim.metrics.lexical.token_metric import TokenMetric
from answersim.types import Metric, Scale


def answer_tokens(
    name: str,
    similarity: Callable[..., float],
    revision: int,
    scale: Scale = "similarity",
    *,
    reference: bool = False,
    **settings: str,
) -> Callable[..., Metric]:
    """Return the factory of a metric on the tokens of answers.

    ``reference``: whether the SQuAD script contains the metric. If so, the profiles "squad" and "paper" count two
    answers that lose all tokens ("the" and "?") as equal, as the script does. Else such an answer keeps its plain
    words.
    """

    def build(*, lang: str, profile: str | None) -> Metric:
        words = tokenizer(lang, profile)
        if words.name == "squad" and not reference:
            words = Tokenizer("squad-or-plain", squad_or_plain_words)
        return TokenMetric(name, words, similarity, tuple(settings.items()), revision, scale)

    return build


def check_profile(name: str, profile: str | None, allowed: tuple[str, ...]) -> None:
    """Raise LookupError for a profile that does not exist, or that this metric does not have."""
    if profile not in (None, *PROFILES):
        raise unknown("profile", profile, PROFILES)
    if profile not in (None, *BY_LANGUAGE, *allowed):
        raise LookupError(
            f"{name} has no profile {profile!r}, only {', '.join(allowed)}: its tokens are those of its source; leave "
            "the profile out"
        )
