"""Damaged answers: typing errors, and bytes that were decoded wrongly."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from html.entities import codepoint2name
from itertools import pairwise
from pathlib import Path
from random import Random
from urllib.parse import quote

from tools.weights.minimal_pairs.family import Family

SOURCES = Path(__file__).parent / "sources"
ROWS = {"en": ("qwertyuiop", "asdfghjkl", "zxcvbnm"), "de": ("qwertzuiopü", "asdfghjklöä", "yxcvbnm")}
WAYS = ["exchange", "exchange", "drop", "drop", "double", "neighbor", "undouble"]


@lru_cache
def confusable(kind: str, language: str) -> tuple[tuple[str, str, str], ...]:
    """Return pairs of answers that look alike, each with a question: ``question | answer | answer`` per line."""
    lines = (SOURCES / f"{kind}.{language}.txt").read_text("utf-8").splitlines()
    found = [tuple(field.strip() for field in line.split("|")) for line in lines if line and not line.startswith("#")]
    if any(len(fields) != 3 for fields in found):
        raise ValueError(f"{kind}.{language}.txt: each line is 'question | answer | answer'")
    return tuple((question, first, second) for question, first, second in found)


def typo(rng: Random, language: str) -> Family | None:
    """Return a family in which both candidates have one typing error: in the gold answer, and in one that looks alike.

    An error is used only if the result is closer to its source text than to the other one, by edit
    distance, so that a reader can tell which was meant.
    """
    question, *texts = rng.choice(confusable("typo", language))
    if rng.random() < 0.5:
        texts = texts[::-1]
    gold, other = texts
    way = rng.choice(WAYS)
    same, miss = mistyped(rng, gold, language, way), mistyped(rng, other, language, way)
    if same is None or miss is None or len({gold, other, same, miss}) < 4:
        return None
    clear = all(
        edit_distance(wrong.lower(), own.lower()) < edit_distance(wrong.lower(), far.lower())
        for wrong, own, far in ((same, gold, other), (miss, other, gold))
    )
    return Family(question, gold, same, miss) if clear else None


def mistyped(rng: Random, text: str, language: str, way: str) -> str | None:
    """Return this text with one typing error inside one of its longer words, or None if this way does not apply.

    >>> mistyped(Random(1), "Cannes", "en", "undouble")
    'Canes'
    """
    places = [
        i
        for i in range(1, len(text) - 1)
        if text[i].isalpha() and text[i - 1].isalpha() and text[i + 1].isalpha() and text[i].islower()
    ]
    if way == "undouble":
        places = [i for i in places if text[i] == text[i + 1]]
    elif way == "exchange":
        places = [i for i in places if text[i] != text[i + 1] and text[i + 1].islower()]
    elif way == "neighbor":
        places = [i for i in places if _neighbors(text[i], language)]
    if not places:
        return None
    i = rng.choice(places)
    if way == "exchange":
        return text[:i] + text[i + 1] + text[i] + text[i + 2 :]
    if way == "double":
        return text[:i] + text[i] + text[i:]
    if way == "neighbor":
        return text[:i] + rng.choice(_neighbors(text[i], language)) + text[i + 1 :]
    return text[:i] + text[i + 1 :]


def _neighbors(letter: str, language: str) -> str:
    row = next((row for row in ROWS[language] if letter in row), "")
    i = row.find(letter)
    return row[max(i - 1, 0) : i] + row[i + 1 : i + 2] if row else ""


def edit_distance(first: str, second: str) -> int:
    """Return the number of insertions, deletions, replacements and exchanges of neighbors (optimal string alignment).

    >>> edit_distance("Iran", "Irna"), edit_distance("Iran", "Iraq"), edit_distance("ab", "")
    (1, 1, 2)
    """
    table = [[i + j if i == 0 or j == 0 else 0 for j in range(len(second) + 1)] for i in range(len(first) + 1)]
    for i in range(1, len(first) + 1):
        for j in range(1, len(second) + 1):
            different = first[i - 1] != second[j - 1]
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + different)
            if i > 1 and j > 1 and first[i - 1] == second[j - 2] and first[i - 2] == second[j - 1]:
                table[i][j] = min(table[i][j], table[i - 2][j - 2] + 1)
    return table[-1][-1]


def mojibake(rng: Random, language: str) -> Family | None:
    """Return a family in which both candidates were damaged in the same way by a wrong encoding or escape."""
    question, *texts = rng.choice(confusable("mojibake", language))
    if rng.random() < 0.5:
        texts = texts[::-1]
    gold, other = texts
    way = rng.choice(list(DAMAGES))
    same, miss = damaged(gold, way), damaged(other, way)
    if same is None or miss is None or len({gold, other, same, miss}) < 4:
        return None
    return Family(question, gold, same, miss)


def damaged(text: str, way: str) -> str | None:
    """Return this text after a damage of this name, or None if it leaves no trace or no printable text.

    >>> damaged("Zürich", "utf-8 as windows-1252"), damaged("Zürich", "percent"), damaged("Paris", "html")
    ('ZÃ¼rich', 'Z%C3%BCrich', None)
    """
    try:
        result = DAMAGES[way](text)
    except (UnicodeDecodeError, UnicodeEncodeError):
        return None
    return result if result != text and result.replace("\n", "").isprintable() else None


def _escaped(text: str) -> str:
    return "".join(letter if letter.isascii() else f"\\u{ord(letter):04x}" for letter in text)


def _entities(text: str) -> str:
    return "".join(
        letter if letter.isascii() else f"&{codepoint2name.get(ord(letter), f'#{ord(letter)}')};" for letter in text
    )


def _replaced(text: str) -> str:
    """Replace each letter that is not ASCII; unchanged if several follow each other: they are beyond recognition."""
    if any(not a.isascii() and not b.isascii() for a, b in pairwise(text)):
        return text
    return "".join(letter if letter.isascii() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def _stripped(text: str) -> str:
    """Remove the marks above and below letters; unchanged if a letter has no ASCII letter below its marks."""
    result = "".join(unicodedata.normalize("NFD", letter)[0] for letter in text)
    return result if result.isascii() else text


DAMAGES = {
    "utf-8 as windows-1252": lambda text: text.encode("utf-8").decode("cp1252"),
    "utf-8 as latin-1": lambda text: text.encode("utf-8").decode("latin-1"),
    "utf-8 as mac roman": lambda text: text.encode("utf-8").decode("mac_roman"),
    "utf-8 as windows-1252, twice": lambda text: text.encode("utf-8").decode("cp1252").encode("utf-8").decode("cp1252"),
    "html": _entities,
    "percent": lambda text: quote(text, safe=" '"),
    "escapes": _escaped,
    "lost": _replaced,
    "decomposed": lambda text: unicodedata.normalize("NFD", text),
    "stripped": _stripped,
}
