"""Words with a meaning, as data: the rows of words.csv, endings.csv, names.csv, cjk.csv and cldr.csv."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple

_FOLDER = Path(__file__).parent


class WordRow(NamedTuple):
    """One row of a table of words."""

    kind: str  # what the words are: "number", "month", "hedge before" ...
    language: str  # an ISO 639-1 code, or "*" for words that are read in each language
    meaning: str  # a number, a sign or a name; "" if the kind says all
    words: tuple[str, ...]  # the words in lower case; a phrase has spaces


@cache
def rows(name: str) -> tuple[WordRow, ...]:
    """Return the rows of a table: "words", "endings", "names", "cjk" or "cldr"."""
    with (_FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return tuple(
            WordRow(kind, language, meaning, tuple(words.casefold().split("|")))
            for kind, language, meaning, words, *_ in list(csv.reader(file))[1:]
        )


@cache
def meanings(kind: str, *languages: str, table: str = "words") -> dict[str, str]:
    """Return the words of a kind with their meaning, in these languages and in "*"."""
    return {
        word: row.meaning
        for row in rows(table)
        if row.kind == kind and row.language in ("*", *languages)
        for word in row.words
    }


def numbers(kind: str, *languages: str, table: str = "words") -> dict[str, int]:
    """Return the words of a kind whose meaning is a whole number."""
    return {word: int(meaning) for word, meaning in meanings(kind, *languages, table=table).items()}


def listed(*kinds: str, table: str = "words") -> frozenset[str]:
    """Return all words of these kinds, in all languages."""
    return frozenset(word for row in rows(table) if row.kind in kinds for word in row.words)
