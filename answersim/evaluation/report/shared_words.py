"""The words of a gold answer that a prediction contains, and where they are in both texts."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # scripts without spaces: every character is a word
_WORD = re.compile(rf"[{_CJK}]|[^\s{{}}{_CJK}]+")  # braces part words: \boxed{Rome}
_MOST = 250_000  # the product of the numbers of words up to which words are aligned; above it, they are only looked up


class Word(NamedTuple):
    """A word of a text: what is compared, and where it begins and ends."""

    key: str
    start: int
    end: int


class Shared(NamedTuple):
    """The words that a prediction shares with the nearest of its gold answers.

    Attributes:
        gold: Which of the gold answers is compared: the first one that shares most words with the prediction.
        in_gold: Where the shared words of this gold answer begin and end.
        in_pred: The same in the prediction.
        n: The number of shared words.
    """

    gold: int
    in_gold: tuple[tuple[int, int], ...]
    in_pred: tuple[tuple[int, int], ...]
    n: int


def shared_words(golds: Sequence[str], pred: str) -> Shared:
    """Return the words that a prediction shares with the nearest of its gold answers, each counted once.

    Words are compared without case, compatibility forms and the punctuation around them. The longest common parts are
    found first, then words in another order. Neighboring words are one range, in characters from 0.

    >>> shared_words(["Rome, Italy"], "in rome")
    Shared(gold=0, in_gold=((0, 4),), in_pred=((3, 7),), n=1)
    """
    candidates = [_of(gold, pred) for gold in golds]
    best = max(range(len(candidates)), key=lambda i: (_dice(candidates[i][2], golds[i], pred), -i))
    return Shared(best, *candidates[best])


def words(text: str) -> list[Word]:
    """Return the words of a text: runs without white space, and single characters of Chinese and Japanese.

    >>> [word.key for word in words("The “Rhine”, 1,232 km!")]
    ['the', 'rhine', '1,232', 'km']
    """
    words_of_text = []
    for match in _WORD.finditer(text):
        start, end = match.span()
        while start < end and _is_punctuation(text[start]) and not _is_sign(text, start, end):
            start += 1
        while end > start and _is_punctuation(text[end - 1]):
            end -= 1
        if start == end:  # punctuation alone is a word too: "-" and "=" may be the difference
            start, end = match.span()
        words_of_text.append(Word(unicodedata.normalize("NFKC", text[start:end]).casefold(), start, end))
    return words_of_text


def _of(gold: str, pred: str) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...], int]:
    first, second = words(gold), words(pred)
    keys, others = [word.key for word in first], [word.key for word in second]
    pairs: dict[int, int] = {}
    if len(first) * len(second) <= _MOST:
        for a, b, size in SequenceMatcher(None, keys, others, autojunk=False).get_matching_blocks():
            pairs |= {a + i: b + i for i in range(size)}
    free: defaultdict[str, deque[int]] = defaultdict(deque)
    for j in sorted(set(range(len(others))).difference(pairs.values())):
        free[others[j]].append(j)
    for i, key in enumerate(keys):
        if i not in pairs and free[key]:
            pairs[i] = free[key].popleft()
    return _ranges(first, pairs), _ranges(second, pairs.values()), len(pairs)


def _ranges(text_words: Sequence[Word], places: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Return where the words at these places begin and end; neighbors are one range."""
    joined: list[list[int]] = []
    for i in sorted(places):
        if joined and joined[-1][1] == i - 1:
            joined[-1][1] = i
        else:
            joined.append([i, i])
    return tuple((text_words[a].start, text_words[b].end) for a, b in joined)


def _dice(shared: int, gold: str, pred: str) -> float:
    return 2 * shared / max(1, len(gold.split()) + len(pred.split()))


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
