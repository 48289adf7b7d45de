"""Names of people as values: order, initials, nicknames, titles and suffixes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from answersim.answers.typed.comparison import Relation, different, equal, no_opinion
from answersim.answers.typed.vocabulary import listed, rows

kind = "person name"
LONGEST_NAME = 60  # characters
SUFFIXES = frozenset("jr junior sr senior ii iii iv".split())
_SHORT_SUFFIXES = {"junior": "jr", "senior": "sr"}
_AROUND = " \t\r\n.,;:!?\"'"
_NICKNAME = re.compile(r"""["“”(][^"“”()]*["“”)]""")
_TITLES, _PARTICLES, _NO_PERSON = (listed(kind, table="names") for kind in ("title", "particle", "organization"))
_PLACES, _NO_NAME = listed("place", table="names"), listed("no name", table="names")
# The short forms of each full name, in lower case; and the full names of each short form.
SHORT_NAMES = {row.meaning: tuple(word.title() for word in row.words) for row in rows("names") if row.kind == "short"}
FULL_NAMES: dict[str, tuple[str, ...]] = {
    short.casefold(): tuple(full.title() for full, shorts in SHORT_NAMES.items() if short in shorts)
    for shorts in SHORT_NAMES.values()
    for short in shorts
}
# Given names that are rarely anything else. With the nicknames they show that a text may be a name of a person.
_KNOWN_GIVEN = (listed("given", table="names") | frozenset(SHORT_NAMES) | frozenset(FULL_NAMES)) - _PLACES
_FIRST = _KNOWN_GIVEN | _TITLES
_MOST_WORDS = 6
_MOST_INITIALS = 3  # that are written as one word: "JRR"
# Short forms of names of both sexes. They are not equal to the names of women: Val Kilmer is no Valerie.
_EITHER, _OF_WOMEN = listed("either sex", table="names"), listed("woman", table="names")
# Forms of one name in several languages: they may be the same person.
_FORMS = [frozenset(row.words) for row in rows("names") if row.kind == "form"]
_MEN, _WOMEN = frozenset(("mr", "sir")), frozenset(("mrs", "ms", "miss", "dame"))


class Person(NamedTuple):
    """The parts of a personal name: "Dr. John Q. de la Cruz Jr." is Dr. | John, Q. | de la Cruz | Jr."""

    title: str
    given: tuple[str, ...]  # empty if there is a title and a last name only
    last: str
    suffix: str

    @property
    def kind(self) -> str:
        """The kind of the value."""
        return kind

    def __str__(self) -> str:
        return " ".join(part for part in (self.title, *self.given, self.last, self.suffix) if part)


@lru_cache(maxsize=1 << 8)
def read_person(text: str) -> Person | None:
    """Return the name if the text shows that it is one of a person: a title, an initial, an inversion, a given name."""
    words = text.split()
    if not 2 <= len(words) <= _MOST_WORDS or not text[0].isupper():
        return None
    if len(words) == 2 and plain(words[0]) in _TITLES and words[1][0].isupper() and words[1].isalpha():
        return Person(words[0], (), words[1], "")
    marked = "," in text or "." in text or any(len(word) == 1 for word in words)
    if not marked and _bare(words[0]) not in _FIRST and words[-1].casefold() not in SUFFIXES:
        return None  # nothing shows that it is a name of a person
    if any(not word[0].isalpha() and word[0] not in "\"'(" for word in words):
        return None
    name = person_name(text)
    if name is None:
        return None
    given = _given(name)
    if any(plain(word) in _NO_NAME for word in (*name.given, name.last)):
        return None
    if not name.last[0].isalpha() or not name.last.split()[-1][0].isupper():
        return None
    is_person = bool(name.title) or any(len(part) == 1 for part in given) or bool(given and given[0] in _KNOWN_GIVEN)
    if "," in text and not is_person and not name.suffix:
        return None  # Paris, France
    return name if is_person or name.suffix else None


@lru_cache(maxsize=1 << 8)
def person_name(name: str) -> Person | None:
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
    title = words.pop(0) if plain(words[0]) in _TITLES else ""
    if not inverted and len(words) > 2 and not suffix and plain(words[-1]) in SUFFIXES:
        suffix = words.pop()
    is_name = all(word[0].isalpha() and is_latin(word) and word.casefold() not in _NO_PERSON for word in words)
    if len(words) < 2 or not is_name:
        return None
    start = len(words) - (inverted or 1)
    while start > 1 and plain(words[start - 1]) in _PARTICLES:
        start -= 1
    return Person(title, tuple(words[:start]), " ".join(words[start:]), suffix) if start > 0 else None


def _without_nickname(match: re.Match[str]) -> str:
    """Return a space for a nickname in quotes or brackets; other words in brackets are kept, and make no name."""
    name = match[0][1:-1].casefold()
    return " " if match[0][0] != "(" or name in FULL_NAMES or name in SHORT_NAMES else match[0]


def is_latin(text: str) -> bool:
    """Return whether there are letters, all of them Latin, and no digits."""
    if text.isascii():
        return text.isalpha() or (any(map(str.isalpha, text)) and not any(map(str.isdecimal, text)))
    letters = [character for character in text if character.isalnum()]
    return bool(letters) and all(unicodedata.name(letter, "").startswith("LATIN") for letter in letters)


def plain(word: str) -> str:
    """Return the word in lower case, without commas and periods around it."""
    return word.strip(".,").casefold()


def _given(name: Person) -> list[str]:
    """Return the parts of all given names: "J.F." and "JF" are j and f."""
    initials = {  # "AL Smith" is Al Smith
        word
        for word in name.given
        if word.isupper() and word.isalpha() and 1 < len(word) <= _MOST_INITIALS and word.casefold() not in _FIRST
    }
    words = (".".join(word) if word in initials and not name.last.isupper() else word for word in name.given)
    parts = (part for word in words for part in word.replace("-", ".").split("."))
    return [bare for part in parts if (bare := _bare(part))]


def _bare(word: str) -> str:
    """Return the word in lower case without diacritics and punctuation."""
    if not word.isascii():
        word = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
    folded = word.casefold()
    return folded if folded.isalnum() else "".join(filter(str.isalnum, folded))


def compare_people(gold: Person, pred: Person) -> Relation | None:
    """Compare two names of people; None if their last names differ, because a person may have two of them.

    Equal: the last names are the same, and each given name is the same, an initial of the other or its nickname.
    Different: the same last name, and first names that are both known and unrelated; or another suffix, such as Jr. and
    Sr. Open: one name has fewer given names.
    """
    one, other = gold, pred
    if _bare(one.last) != _bare(other.last):
        return None
    suffixes = {_SHORT_SUFFIXES.get(plain(name.suffix), plain(name.suffix)) for name in (one, other) if name.suffix}
    if len(suffixes) > 1:
        return different(f"{other.suffix} is not {one.suffix}", kind)
    titles = [plain(name.title) for name in (one, other)]
    if any(title in _MEN for title in titles) and any(title in _WOMEN for title in titles):
        return no_opinion(f"{other.title} and {one.title} are two titles", kind)
    names = [_given(one), _given(other)]
    if not names[0] or not names[1]:
        return no_opinion(f"the last name is the same, and one has no given name: {pred}, {gold}", kind)
    related = [_related(a, b) for a, b in zip(*names, strict=False)]
    if any(_may_be(a, b) for a, b in zip(*names, strict=False)):
        return no_opinion(f"{pred} and {gold} may be one person, with a short name or in another language", kind)
    if all(related):
        if len(names[0]) == len(names[1]) and bool(one.suffix) == bool(other.suffix):
            return equal(f"{pred} is {gold}: same last name, and given names that fit", kind)
        return no_opinion(f"{pred} and {gold} agree, and one is less complete", kind)
    if not related[0] and any(_related(a, b) for a in names[0] for b in names[1]):
        return no_opinion(f"{pred} and {gold} share a given name in another place", kind)
    if not related[0] and all(part[0] in _KNOWN_GIVEN for part in names) and names[0][0][0] != names[1][0][0]:
        return different(f"the given name {names[1][0].title()} is not {names[0][0].title()}", kind)
    return no_opinion(f"it is not sure that {pred} and {gold} are two people", kind)


def compare_as_people(gold: str, pred: str, shown: Sequence[bool]) -> Relation | None:
    """Return that two answers are the same name if one of them shows that it is one of a person; None otherwise.

    One shows it by itself, or because it is inverted and the other is not ("Adams, Abigail"). The other may be any
    name. ``shown``: whether each answer shows by itself that it is a name of a person.
    """
    texts = [text.strip(_AROUND) for text in (gold, pred)]
    if not any(shown) and ("," in texts[0]) == ("," in texts[1]):
        return None
    one, other = map(person_name, texts)
    result = None if one is None or other is None else compare_people(one, other)
    return result if result is not None and result.relation == "equal" else None


def _related(one: str, other: str) -> bool:
    """Return whether two given names may be the same: equal, an initial, a nickname, or nicknames of one name."""
    if one == other or (1 in (len(one), len(other)) and one[0] == other[0]):
        return True
    full = [{word, *(name.casefold() for name in FULL_NAMES.get(word, ()))} for word in (one, other)]
    return bool(full[0] & full[1])


def _may_be(one: str, other: str) -> bool:
    """Return whether two given names may or may not be one: Chris and Christine, John and Johann."""
    for short, full in ((one, other), (other, one)):
        if short in _EITHER and full in _OF_WOMEN and (short[0] == full[0] or _related(short, full)):
            return True
    return one != other and any(one in names and other in names for names in _FORMS)
