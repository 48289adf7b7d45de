"""Factories of the lexical metrics: from a language, a profile and options to a metric."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from answersim._base.errors import unknown
from answersim.answers.text import BY_LANGUAGE, PROFILES, Tokenizer, language, squad_or_plain_words, tokenizer
from answersim.metrics.lexical import bleu as _bleu
from answersim.metrics.lexical import rouge_l as _rouge_l
from answersim.metrics.lexical.token_metric import TokenMetric
from answersim.types import Metric, Scale

if TYPE_CHECKING:
    from answersim.metrics.lexical.meteor import Order


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


def rouge_l(*, lang: str, profile: str | None) -> Metric:
    """Build ROUGE-L; the profiles "squad" and "paper" follow ``rouge_score``."""
    words = _rouge_l.rouge_words(lang, profile)
    if words.name == "rouge_score":
        return TokenMetric("rouge-l", words, _rouge_l.reference_rouge_l, revision=_rouge_l.REFERENCE_REVISION)
    return TokenMetric("rouge-l", words, _rouge_l.rouge_l, revision=_rouge_l.REVISION)


def bleu(*, lang: str, profile: str | None) -> Metric:
    """Build sentence BLEU."""
    _check_profile("bleu", profile, PROFILES)
    return TokenMetric("bleu", _bleu.bleu_words(lang, profile), _bleu.bleu, revision=_bleu.REVISION)


def bleu_paper(*, lang: str, profile: str | None) -> Metric:
    """Build BLEU as the SAS paper recorded it."""
    _check_profile("bleu-paper", profile, ("embedded", "paper"))
    words = Tokenizer("white-space", str.split)
    return TokenMetric("bleu-paper", words, _bleu.bleu_paper, revision=_bleu.PAPER_REVISION)


def meteor(
    *,
    lang: str,
    profile: str | None,
    alpha: float = 0.9,
    beta: float = 3.0,
    gamma: float = 0.5,
    order: Order | None = None,
    words: str | None = None,
) -> Metric:
    """Build METEOR. Its module is imported here, because it is large."""
    from answersim.metrics.lexical.meteor import Meteor

    _check_profile("meteor", profile, ("embedded", "paper", "squad"))
    if profile == "squad" and language(lang) == "en":
        words = words or "nltk-3.10"
    if profile == "paper":  # the gold answer is the hypothesis, and the words are those of NLTK 3.6
        order = order or "pred-gold"
        words = words or ("nltk-2021" if language(lang) == "en" else None)
    return Meteor(language(lang), alpha, beta, gamma, order or "gold-pred", words)


def _check_profile(name: str, profile: str | None, allowed: tuple[str, ...]) -> None:
    """Raise LookupError for a profile that does not exist, or that this metric does not have."""
    if profile not in (None, *PROFILES):
        raise unknown("profile", profile, PROFILES)
    if profile not in (None, *BY_LANGUAGE, *allowed):
        raise LookupError(
            f"{name} has no profile {profile!r}, only {', '.join(allowed)}: its tokens are those of its source; leave "
            "the profile out"
        )
