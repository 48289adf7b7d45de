"""The words in which a prediction differs from a gold answer."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # scripts without spaces: every character is a word
_WORD = re.compile(rf"[{_CJK}]|[^\s{_CJK}]+")
_MOST = 250_000  # the product of the numbers of words up to which words are aligned; above it, they are only looked up


class Word(NamedTuple):
    """A word of a text: what is compared, and where it begins and ends."""

    key: str
    start: int
    end: int


class Difference(NamedTuple):
    """The words of two texts that the other lacks.

    Attributes:
        gold: Which of the gold answers is compared: the first one that shares most words with the prediction.
        lacking: Where the words of this gold answer begin and end that the prediction lacks.
        added: Where the words of the prediction begin and end that this gold answer lacks.
        shared: How many words both have in the same order.
    """

    gold: int
    lacking: tuple[tuple[int, int], ...]
    added: tuple[tuple[int, int], ...]
    shared: int


def difference(golds: Sequence[str], pred: str) -> Difference:
    """Return the words in which a prediction differs from the nearest of its gold answers.

    Words are compared without case, compatibility forms and the punctuation around them. Neighboring words are one
    range, in characters from 0.

    >>> difference(["Rome, Italy"], "in rome")
    Difference(gold=0, lacking=((6, 11),), added=((0, 2),), shared=1)
    """
    found = [_of(gold, pred) for gold in golds]
    best = max(range(len(found)), key=lambda i: (_rater_agreement(found[i], golds[i], pred), -i))
    lacking, added, shared = found[best]
    return Difference(best, lacking, added, shared)


def words(text: str) -> list[Word]:
    """Return the words of a text: runs without white space, and single characters of Chinese and Japanese.

    >>> [word.key for word in words("The “Rhine”, 1,232 km!")]
    ['the', 'rhine', '1,232', 'km']
    """
    found = []
    for match in _WORD.finditer(text):
        start, end = match.span()
        while start < end and _is_punctuation(text[start]) and not _is_sign(text, start, end):
            start += 1
        while end > start and _is_punctuation(text[end - 1]):
            end -= 1
        if start == end:  # punctuation alone is a word too: "-" and "=" may be the difference
            start, end = match.span()
        found.append(Word(unicodedata.normalize("NFKC", text[start:end]).casefold(), start, end))
    return found


_Of = tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...], int]


def _of(gold: str, pred: str) -> _Of:
    first, second = words(gold), words(pred)
    if len(first) * len(second) > _MOST:
        return _looked_up(first, second)
    matcher = SequenceMatcher(None, [word.key for word in first], [word.key for word in second], autojunk=False)
    lacking, added, shared = [], [], 0
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            shared += b - a
            continue
        lacking += [(first[a].start, first[b - 1].end)] if b > a else []
        added += [(second[c].start, second[d - 1].end)] if d > c else []
    return tuple(lacking), tuple(added), shared


def _looked_up(first: Sequence[Word], second: Sequence[Word]) -> _Of:
    """Return the words that do not occur in the other text at all: of long texts, in linear time."""
    mine, others = {word.key for word in first}, {word.key for word in second}
    lacking = [(word.start, word.end) for word in first if word.key not in others]
    added = [(word.start, word.end) for word in second if word.key not in mine]
    return tuple(lacking), tuple(added), len(first) - len(lacking)


def _rater_agreement(found: _Of, gold: str, pred: str) -> float:
    return 2 * found[2] / max(1, len(gold.split()) + len(pred.split()))


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] == "P"


def _is_sign(text: str, start: int, end: int) -> bool:
    """Return whether the character is a minus sign: -5 is not 5."""
    return text[start] == "-" and start + 1 < end and text[start + 1].isdigit()


def in_utf16(ranges: Sequence[tuple[int, int]], text: str) -> list[int]:
    """Return the ends of ranges as JavaScript counts characters, one after another.

    >>> in_utf16([(0, 1), (2, 3)], "😀 b"), in_utf16([(2, 3)], "a b")
    ([0, 2, 3, 4], [2, 3])
    """
    flat = [end for bounds in ranges for end in bounds]
    if text.isascii() or all(character <= "\uffff" for character in text):
        return flat
    return [len(text[:end].encode("utf-16-le", "surrogatepass")) // 2 for end in flat]
