"""ROUGE-L: the longest common subsequence of the words of gold and prediction, as an F-measure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from answersim.answers.text.tokens import Tokenizer, has_unspaced, tokenizer, unspaced_words
from answersim.metrics.definitions import definition
from answersim.metrics.lexical.token_metric import TokenMetric
from answersim.types import Metric

REVISION = 1  # raise it when a number changes; it is signed
REFERENCE_REVISION = 2  # that of ``reference_rouge_l``

_NOT_A_WORD = re.compile(r"[^a-z0-9]+")
# characters that separate as spaces do
_ASCII = bytes(i if chr(i).isalnum() and i < 128 else ord(" ") for i in range(256)).lower()


def rouge_l(gold: Sequence[str], pred: Sequence[str]) -> float:
    """Return the harmonic mean of LCS / len(gold) and LCS / len(pred), between 0 and 1.

    Two empty answers score 1.0, as in the table of the SAS paper (``rouge_score`` returns 0). An empty answer and any
    other answer score 0.0. The default tokenizer loses no answer: only a blank one has no tokens.

    >>> rouge_l(["the", "dukes"], ["dukes"])
    0.6666666666666666

    Source: Lin 2004, equations 2 to 4 with beta = 1; equal to the F-measure ``rougeL`` of ``rouge_score``.
    """
    if not gold or not pred:
        return float(len(gold) == len(pred))
    if len(gold) == 1 or len(pred) == 1:  # many short answers are equal
        common = int(gold[0] in pred if len(gold) == 1 else pred[0] in gold)
    else:
        common = longest_common_subsequence(gold, pred)
    if not common:
        return 0.0
    precision, recall = common / len(pred), common / len(gold)
    return 2 * precision * recall / (precision + recall)


def reference_rouge_l(gold: Sequence[str], pred: Sequence[str]) -> float:
    """Return ``rouge_l``, but 0.0 if an answer has no tokens, as ``rouge_score`` does.

    With ``profile="squad"``, a text without a-z and 0-9 has no tokens, and a blank answer has the one token "". Thus
    two blank answers still score 1.0, and "Москва" scores 0.0 against any text.

    >>> words = rouge_words(profile="squad")
    >>> [reference_rouge_l(words(gold), words(pred)) for gold, pred in [("Москва", "Киев"), ("Москва", ""), (" ", "")]]
    [0.0, 0.0, 1.0]
    """
    return rouge_l(gold, pred) if gold and pred else 0.0


def longest_common_subsequence(gold: Sequence[str], pred: Sequence[str]) -> int:
    """Return the length of the longest common subsequence.

    The algorithm is bit-parallel: one addition of integers of ``len(one)`` bits per token of ``pred``.

    >>> longest_common_subsequence("a b c d".split(), "b x d".split())
    2

    Source: Hyyrö 2004, "Bit-parallel LCS-length computation revisited".
    """
    positions: dict[str, int] = {}
    for i, token in enumerate(gold):
        positions[token] = positions.get(token, 0) | 1 << i
    every = (1 << len(gold)) - 1
    row = every
    for token in pred:
        matches = row & positions.get(token, 0)
        if matches:  # a token that is not in the other text leaves the row unchanged
            row = (row + matches) | (row - matches)
            row &= every
    return len(gold) - row.bit_count()


def rouge_words(lang: str = "en", profile: str | None = None) -> Tokenizer:
    """Return the tokenizer for ROUGE: that of ``rouge_score`` for English, else that of the language.

    For English, texts are lower-cased, every run of characters other than a-z and 0-9 separates tokens, and there is no
    stemmer. Each character of a script without spaces is a token. A text without such tokens ("Москва") falls back to
    the plain words. ``profile="squad"`` and ``"paper"`` have the tokens of ``rouge_score`` and no others, for
    ``reference_rouge_l``.

    >>> rouge_words()("The Eiffel-Tower!"), rouge_words()("Sonyの本社")
    (['the', 'eiffel', 'tower'], ['sony', 'の', '本', '社'])
    """
    answer = tokenizer(lang, profile)
    if answer.name == "squad":
        return Tokenizer("rouge_score", _reference_words)
    if answer.name == "en":
        return Tokenizer("en", _rouge_english_words)
    return answer


def _reference_words(text: str) -> list[str]:
    """Return the tokens of ``rouge_score``, which may be none, and the token "" for a blank text."""
    return _rouge_score_words(text) if text.strip() else [""]


def _rouge_score_words(text: str) -> list[str]:
    if text.isascii():  # beyond ASCII there are letters whose lower case is ASCII
        return text.encode().translate(_ASCII).decode().split()
    return _NOT_A_WORD.sub(" ", text.lower()).split()


def _rouge_english_words(text: str) -> list[str]:
    if has_unspaced(text):
        pieces = [piece for word in text.lower().split() for piece in unspaced_words(word, punctuation=False)]
        parted = ([piece] if has_unspaced(piece) else _rouge_score_words(piece) for piece in pieces)
        tokens = [token for words in parted for token in words]
    else:
        tokens = _rouge_score_words(text)
    return tokens or text.lower().split()


def build(*, lang: str, profile: str | None) -> Metric:
    """Build ROUGE-L; the profiles "squad" and "paper" follow ``rouge_score``."""
    words = rouge_words(lang, profile)
    if words.name == "rouge_score":
        return TokenMetric("rouge-l", words, reference_rouge_l, revision=REFERENCE_REVISION)
    return TokenMetric("rouge-l", words, rouge_l, revision=REVISION)


ROUGE_L = definition("rouge-l", build)
