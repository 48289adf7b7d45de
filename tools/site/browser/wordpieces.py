"""The tokenizer of a BERT in Python, from the tables of ``tools/site/browser/characters.py``; it runs in the page.

Its token ids equal those of the package, which runs a tokenizer written in Rust. Tests compare them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from typing import Any

_FIRST_SYLLABLE, _LAST_SYLLABLE = 0xAC00, 0xD7A3
_VOWELS, _FINALS = 21, 28  # of Hangul; the first "final" is none


class _Characters(dict[int, str]):
    """What a character becomes, for ``str.translate``. Those of ranges are computed when they occur."""

    def __init__(self, tables: Mapping[str, Any]) -> None:
        super().__init__({ord(c): output for c, output in tables["changed"].items()})
        self.update(dict.fromkeys(map(ord, tables["spaces"]), " "))
        self._removed, self._spaced = tables["removed"], tables["spaced"]

    def __missing__(self, point: int) -> str:
        if _FIRST_SYLLABLE <= point <= _LAST_SYLLABLE:
            output = _jamo(point - _FIRST_SYLLABLE)
        elif _inside(self._removed, point):
            output = ""
        else:
            output = f" {chr(point)} " if _inside(self._spaced, point) else chr(point)
        self[point] = output
        return output


class WordPieces:
    """A tokenizer from texts to token ids.

    Source: Devlin et al. 2019, in the form of BertNormalizer, BertPreTokenizer and WordPiece of tokenizers 0.23.
    """

    def __init__(self, tables: Mapping[str, Any]) -> None:
        """Take the tables that ``characters`` returned."""
        self._ids = {piece: i for i, piece in enumerate(tables["vocabulary"])}
        self._longest = tables["longest"]
        self._characters = _Characters(tables)
        self._apart = {
            point: f" {chr(point)} " for low, high in tables["punctuation"] for point in range(low, high + 1)
        }
        self._special = re.compile("(" + "|".join(map(re.escape, tables["special"])) + ")")
        self._order: Mapping[str, int] = tables["order"]
        self._marks = re.compile("[" + re.escape("".join(self._order)) + "]{2,}") if self._order else None
        self._words: dict[str, list[int]] = {}

    def ids(self, text: str, max_length: int) -> tuple[list[int], bool]:
        """Return the ids of a text between [CLS] and [SEP], at most so many, and whether it was truncated."""
        ids: list[int] = []
        for i, part in enumerate(self._special.split(text)):
            ids += [self._ids[part]] if i % 2 else self._plain(part)
        room = max_length - 2
        return [self._ids["[CLS]"], *ids[:room], self._ids["[SEP]"]], len(ids) > room

    def _plain(self, text: str) -> list[int]:
        normalized = text.translate(self._characters)
        if self._marks is not None:
            normalized = self._marks.sub(self._in_order, normalized)
        return [i for word in normalized.translate(self._apart).split(" ") if word for i in self._pieces(word)]

    def _in_order(self, marks: re.Match[str]) -> str:
        return "".join(sorted(marks[0], key=self._order.__getitem__))

    def _pieces(self, word: str) -> list[int]:
        """Return the longest pieces from left to right, or the id of an unknown word."""
        if word in self._words:
            return self._words[word]
        found: list[int] = []
        start = 0
        while start < len(word) <= self._longest:
            prefix = "##" if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if prefix + word[start:end] in self._ids), None)
            if end is None:
                break
            found.append(self._ids[prefix + word[start:end]])
            start = end
        self._words[word] = found = found if start == len(word) else [self._ids["[UNK]"]]
        return found


def _inside(ranges: list[list[int]], point: int) -> bool:
    at = bisect_right(ranges, point, key=lambda ends: ends[0])
    return at > 0 and point <= ranges[at - 1][1]


def _jamo(index: int) -> str:
    """Return the two or three jamo of a Hangul syllable (Unicode, section 3.12).

    >>> [hex(ord(c)) for c in _jamo(ord("각") - 0xAC00)]
    ['0x1100', '0x1161', '0x11a8']
    """
    first, rest = divmod(index, _VOWELS * _FINALS)
    vowel, final = divmod(rest, _FINALS)
    return chr(0x1100 + first) + chr(0x1161 + vowel) + (chr(0x11A7 + final) if final else "")
