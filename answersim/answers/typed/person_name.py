"""The parts of personal names, and the short forms of English given names."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from answersim.answers.typed.vocabulary import listed, rows

SUFFIXES = {
    "jr": ("Jr.", "Junior"),
    "junior": ("Junior", "Jr."),
    "sr": ("Sr.", "Senior"),
    "senior": ("Senior", "Sr."),
    "ii": ("II", "the Second"),
    "iii": ("III", "the Third"),
    "iv": ("IV", "the Fourth"),
}
TITLES, _PARTICLES, _NO_PERSON = (listed(kind, table="names") for kind in ("title", "particle", "organization"))
_NICKNAME = re.compile(r"""["“”(][^"“”()]*["“”)]""")


class PersonName(NamedTuple):
    """The parts of a personal name: "Dr. John Q. de la Cruz Jr." is Dr. | John, Q. | de la Cruz | Jr."""

    title: str
    given: tuple[str, ...]
    last: str
    suffix: str


# The short forms of each full name, in lower case; and the full names of each short form.
SHORT_NAMES = {row.meaning: tuple(word.title() for word in row.words) for row in rows("names") if row.kind == "short"}
FULL_NAMES: dict[str, tuple[str, ...]] = {
    short.casefold(): tuple(full.title() for full, shorts in SHORT_NAMES.items() if short in shorts)
    for shorts in SHORT_NAMES.values()
    for short in shorts
}


def person_name(name: str) -> PersonName | None:
    """Return the parts of a personal name in Latin letters. None for one word, other scripts, digits, organizations.

    "Last, First Middle" is read as "First Middle Last"; nicknames in quotes or brackets are left out; particles such
    as van and de la belong to the last name.
    """
    head, *tail = [part.strip() for part in _NICKNAME.sub(_without_nickname, name).split(",")]
    suffix = tail.pop() if tail and plain(tail[-1]) in SUFFIXES else ""
    if len(tail) > 1 or (tail and not tail[0]) or not head:
        return None
    words = f"{tail[0]} {head}".split() if tail else head.split()
    inverted = len(head.split()) if tail else 0
    title = words.pop(0) if plain(words[0]) in TITLES else ""
    if not inverted and len(words) > 2 and not suffix and plain(words[-1]) in SUFFIXES:
        suffix = words.pop()
    if len(words) < 2 or any(not _is_name(word) for word in words):
        return None
    start = len(words) - (inverted or 1)
    while start > 1 and plain(words[start - 1]) in _PARTICLES:
        start -= 1
    return PersonName(title, tuple(words[:start]), " ".join(words[start:]), suffix) if start > 0 else None


def _without_nickname(match: re.Match[str]) -> str:
    """Return a space for a nickname in quotes or brackets; other words in brackets are kept, and make no name."""
    inside = match.group().strip()
    known = inside[0] != "(" or inside[1:-1].casefold() in FULL_NAMES or inside[1:-1].casefold() in SHORT_NAMES
    return " " if known else match.group()


def is_latin(text: str) -> bool:
    """Return whether there are letters, all of them Latin, and no digits."""
    letters = [character for character in text if character.isalnum()]
    return bool(letters) and all(unicodedata.name(letter, "").startswith("LATIN") for letter in letters)


def _is_name(word: str) -> bool:
    """Return whether this word can be part of a personal name: Latin letters, and no word of organizations."""
    return word[0].isalpha() and is_latin(word) and word.casefold() not in _NO_PERSON


def plain(word: str) -> str:
    """Return the word in lower case, without commas and periods around it."""
    return word.strip(".,").casefold()
