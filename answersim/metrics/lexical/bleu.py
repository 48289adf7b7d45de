"""BLEU of one answer: n-gram precision and a brevity penalty; smoothed by default, unsmoothed as in the SAS paper."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import count

from answersim._base.runtime.concurrency import imported
from answersim.answers.text.tokens import (
    BY_LANGUAGE,
    PROFILES,
    Pieces,
    Tokenizer,
    has_unspaced,
    language,
    tokenizer,
    unspaced_words,
)
from answersim.metrics.definitions import definition
from answersim.metrics.lexical.f1 import shared
from answersim.metrics.lexical.token_metric import TokenMetric, check_profile
from answersim.types import Metric

REVISION = 1  # raise it when a number changes; it is signed
PAPER_REVISION = 1

MAX_ORDER = 4
_LONG = 16  # words, some of which have a mark
_SYMBOLS = re.compile(r"([{-~\[-` -&(-+:-@/])")
_STOP_AFTER_NON_DIGIT = re.compile(r"([^0-9])([.,])")
_STOP_BEFORE_NON_DIGIT = re.compile(r"([.,])([^0-9])")
_DASH_AFTER_DIGIT = re.compile(r"([0-9])(-)")
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_BY_CHARACTER = frozenset("ja th lo km my bo".split())  # languages without spaces for which sacrebleu has no tokenizer


def bleu(gold: Sequence[str], pred: Sequence[str]) -> float:
    """Return sentence BLEU with exponential smoothing and effective order, from 0 to 1. pred is the hypothesis.

    BLEU is not symmetric. Two empty answers score 1.0 (sacrebleu returns 0). An empty answer and any other answer score
    0.0.

    >>> bleu(["yes"], ["yes"]), bleu(["yes"], ["no"])
    (1.0, 0.0)

    Source: Papineni et al. 2002; equal to ``sacrebleu.sentence_bleu(pred, [gold]).score / 100`` (smoothing method 3 of
    Chen & Cherry 2014).
    """
    if not gold and not pred:
        return 1.0
    return _smoothed(_matches(gold, pred), len(gold), len(pred))


def bleu_paper(gold: Sequence[str], pred: Sequence[str]) -> float:
    """Return BLEU as the SAS paper recorded it: unsmoothed 4-gram corpus BLEU of one pair, with *gold* as hypothesis.

    The score is 0.0 unless both answers share four words in a row, so it is 0.0 for nearly every short answer, even
    against itself. Use this function to reproduce the tables of the paper, and ``bleu`` for everything else.

    >>> bleu_paper(["yes"], ["yes"])
    0.0

    Source: Papineni et al. 2002; Mustafazade & Ebbinghaus 2022, Tables 2 and 3.
    """
    return _unsmoothed(_matches(pred, gold), len(pred), len(gold))


def bleu_words(lang: str = "en", profile: str | None = None) -> Tokenizer:
    """Return the tokenizer for BLEU: mteval-v13a, for Chinese that of sacrebleu, for unspaced scripts characters.

    ``profile``: "squad" or "paper": the tokens of 13a, the default of sacrebleu, for every language. "unicode": Unicode
    words (see ``answersim.answers.text.tokens``). None or another profile: by language. With 13a, each character of a
    script without spaces is also a token.

    >>> bleu_words()("It's 3.5 km, isn't it?"), bleu_words()("東京")
    (["It's", '3.5', 'km', ',', "isn't", 'it', '?'], ['東', '京'])
    """
    code = language(lang)
    if profile in ("squad", "paper"):
        return Tokenizer("13a", _plain_13a)
    if profile not in (None, *BY_LANGUAGE):
        return tokenizer(lang, profile)
    name = sacrebleu_tokenizer(code)
    split = {"zh": _chinese, "char": _characters}.get(name)
    return Tokenizer(name, split) if split else Tokenizer("13a+char", _13a_and_characters)


def sacrebleu_tokenizer(lang: str) -> str:
    """Return the name of the tokenizer of sacrebleu for this language."""
    return "zh" if lang == "zh" else "char" if lang in _BY_CHARACTER else "13a"


def _smoothed(matched: Sequence[int], reference: int, hypothesis: int) -> float:
    """Return BLEU from the shared n-grams of each order and the words of both."""
    if not matched[0]:
        return 0.0
    orders = min(hypothesis, MAX_ORDER)
    smoothing, log_precision = 1.0, 0.0
    for order, hits in enumerate(matched[:orders]):
        grams = hypothesis - order
        if not hits:
            smoothing *= 2
        log_precision += math.log(hits / grams if hits else 1 / (smoothing * grams))
    return _brevity_penalty(reference, hypothesis) * math.exp(log_precision / orders)


def _unsmoothed(matched: Sequence[int], reference: int, hypothesis: int) -> float:
    if not all(matched):
        return 0.0
    log_precision = math.fsum(math.log(hits / (hypothesis - order)) for order, hits in enumerate(matched))
    return _brevity_penalty(reference, hypothesis) * math.exp(log_precision / MAX_ORDER)


def _matches(reference: Sequence[str], hypothesis: Sequence[str]) -> list[int]:
    """Return for orders 1 to 4 how many n-grams of the hypothesis match, clipped to their counts in the reference."""
    matched = [0] * MAX_ORDER
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    left, right = ([*map(numbers.__getitem__, tokens)] for tokens in (reference, hypothesis))
    theirs, ours = _grams(left, len(numbers)), _grams(right, len(numbers))
    for order in range(MAX_ORDER):
        matched[order] = _shared(next(theirs), next(ours))
        if not matched[order]:
            break  # if no n-gram is shared, no longer one is shared either
    return matched


def _shared(theirs: Sequence[int], ours: Sequence[int]) -> int:
    """Return how many n-grams both have, as ``shared`` counts them. Few are repeated, so sets suffice in most cases."""
    for shorter, longer in ((theirs, ours), (ours, theirs)):
        if len(kinds := set(shorter)) == len(shorter):
            return len(kinds.intersection(longer))
    return shared(theirs, ours)


def _grams(words: list[int], base: int) -> Iterator[list[int]]:
    """Return the n-grams of these numbered words for n = 1, 2 ..., each encoded as one integer."""
    grams = words
    for order in range(1, MAX_ORDER + 1):
        yield grams
        grams = [gram * base + last for gram, last in zip(grams, words[order:], strict=False)]


def _brevity_penalty(reference: int, hypothesis: int) -> float:
    return 1.0 if hypothesis >= reference else math.exp(1 - reference / hypothesis)


def _13a(text: str) -> list[str]:
    """Tokenize by the rules of mteval-v13a for western languages."""
    if "-\n" in text or ("\n" in text and "<skipped>" in text):  # a hyphen that joins two words over a line break
        return _by_rules(text)
    words = text.split()
    if len(words) < _LONG and "".join(words).isalnum():  # as most short answers are
        return words
    for i in [i for i, word in enumerate(words) if not word.isalnum()][::-1]:
        words[i : i + 1] = _PIECES[words[i]]
    return words


def _by_rules(text: str) -> list[str]:
    """Apply the rules: each reads a character and its neighbors, so white space separates what it may affect."""
    text = text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    if "&" in text:
        for entity, character in _ENTITIES:
            text = text.replace(entity, character)
    text = _SYMBOLS.sub(r" \1 ", f" {text} ")
    text = _STOP_AFTER_NON_DIGIT.sub(r"\1 \2 ", text)
    text = _STOP_BEFORE_NON_DIGIT.sub(r" \1 \2", text)
    return _DASH_AFTER_DIGIT.sub(r"\1 \2 ", text).split()


_PIECES = Pieces(_by_rules)


def _plain_13a(text: str) -> list[str]:
    return _13a(text) or text.split()


def _13a_and_characters(text: str) -> list[str]:
    words = _plain_13a(text)
    return [piece for word in words for piece in unspaced_words(word)] if has_unspaced(text) else words


def _chinese(text: str) -> list[str]:
    return _sacrebleu("zh")(text.rstrip()).split() or text.split()


def _characters(text: str) -> list[str]:
    return _sacrebleu("char")(text.rstrip()).split() or text.split()


@cache
def _sacrebleu(tokenizer: str) -> Callable[[str], str]:
    return imported("sacrebleu.metrics.bleu")._get_tokenizer(tokenizer)()


def build(*, lang: str, profile: str | None) -> Metric:
    """Build sentence BLEU."""
    check_profile("bleu", profile, PROFILES)
    return TokenMetric("bleu", bleu_words(lang, profile), bleu, revision=REVISION)


def build_paper(*, lang: str, profile: str | None) -> Metric:
    """Build BLEU as the SAS paper recorded it."""
    check_profile("bleu-paper", profile, ("embedded", "paper"))
    return TokenMetric("bleu-paper", Tokenizer("white-space", str.split), bleu_paper, revision=PAPER_REVISION)


BLEU = definition("bleu", build)
BLEU_PAPER = definition("bleu-paper", build_paper)
