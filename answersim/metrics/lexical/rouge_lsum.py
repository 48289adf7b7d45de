"""ROUGE-Lsum: ROUGE-L of answers of several lines, line by line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import groupby
from typing import Any

from answersim._base.runtime.concurrency import imported
from answersim.answers.text.tokens import Tokenizer
from answersim.metrics.definitions import definition
from answersim.metrics.lexical.rouge_l import rouge_l, rouge_words
from answersim.metrics.lexical.token_metric import TokenMetric
from answersim.types import Metric

REVISION = 1  # raise it when a number changes; it is signed
_NEXT_LINE = "\n"  # the token between two lines


def rouge_lsum(gold: Sequence[str], pred: Sequence[str]) -> float:
    r"""Return the F-measure of the union of the longest common subsequences of each line of gold, between 0 and 1.

    A token "\n" separates two lines. Answers of one line have the score of ROUGE-L, and an answer without words 0.0.

    >>> rouge_lsum(["a", "b", "\n", "c"], ["c", "\n", "a", "b"]), rouge_lsum(["a", "b", "c"], ["c", "a", "b"])
    (1.0, 0.6666666666666666)

    Source: Lin 2004, section 3.2; equal to the F-measure ``rougeLsum`` of ``rouge_score``, which computes it.
    """
    theirs, ours = list(_lines(gold)), list(_lines(pred))
    if not theirs or not ours:
        return 0.0
    if len(theirs) == len(ours) == 1:
        return rouge_l(theirs[0].split(), ours[0].split())
    return float(_scorer().score("\n".join(theirs), "\n".join(ours))["rougeLsum"].fmeasure)


def _lines(tokens: Sequence[str]) -> Iterator[str]:
    """Yield the words of each line, separated by spaces."""
    for is_break, words in groupby(tokens, _NEXT_LINE.__eq__):
        if not is_break:
            yield " ".join(words)


class _Words:
    """The tokenizer of texts that are words already."""

    def tokenize(self, text: str) -> list[str]:
        return text.split()


@cache
def _scorer() -> Any:
    return imported("rouge_score.rouge_scorer").RougeScorer(["rougeLsum"], tokenizer=_Words())


def _words_of_lines(text: str, words: Tokenizer) -> list[str]:
    """Return the words of each line, with a token between two lines."""
    tokens: list[str] = []
    for line in text.split("\n"):
        if of_line := words(line):
            tokens += [_NEXT_LINE, *of_line] if tokens else of_line
    return tokens


def build(*, lang: str, profile: str | None) -> Metric:
    """Build ROUGE-Lsum. The words of a line are those of ROUGE-L."""
    words = rouge_words(lang, profile)
    lines = Tokenizer(words.name, partial(_words_of_lines, words=words))
    return TokenMetric("rouge-lsum", lines, rouge_lsum, revision=REVISION)


ROUGE_LSUM = definition("rouge-lsum", build)
