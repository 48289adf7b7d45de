"""Other spellings of a name by rule: initials, inverted order, nicknames, titles, diacritics ..."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from answersim._base.errors import unknown
from answersim.answers.typed.person import FULL_NAMES, SHORT_NAMES, Person, is_latin, person_name, plain

Rule: TypeAlias = Callable[[str], list[str]]
_SUFFIXES = {
    "jr": ("Jr.", "Junior"),
    "junior": ("Junior", "Jr."),
    "sr": ("Sr.", "Senior"),
    "senior": ("Senior", "Sr."),
    "ii": ("II", "the Second"),
    "iii": ("III", "the Third"),
    "iv": ("IV", "the Fourth"),
}

TITLES = ("Dr.", "Prof.", "Sen.", "Rep.", "Gov.")  # to add; all fit every personal name
_SMALL = frozenset("a an and at by for from in of on or the to with de la le & der die das für und von".split())
_LETTERS = {"ß": "ss", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L"}
_LETTERS |= {"đ": "d", "Đ": "D", "ı": "i", "þ": "th", "Þ": "Th", "ð": "d", "Ð": "D"}
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"})


def initials(name: str) -> list[str]:
    """Return given names as initials, and only those after the first.

    >>> initials("John Fitzgerald Kennedy")
    ['J. F. Kennedy', 'J.F. Kennedy', 'John F. Kennedy']
    """
    return _of_person(name, lambda parts: [_joined(given, parts) for given in _initialled(parts.given)])


def monogram(name: str) -> list[str]:
    """Return the first letters of three or more names, or nothing for last names of several words.

    >>> monogram("John Fitzgerald Kennedy")
    ['JFK']
    """
    parts = person_name(name)
    if not parts or len(parts.given) < 2 or " " in parts.last or parts.suffix:
        return []
    return ["".join(word[0].upper() for word in (*parts.given, parts.last))]


def inverted(name: str) -> list[str]:
    """Return the last name first, with a comma and (as in the names set of the paper) without.

    >>> inverted("John F. Kennedy Jr.")
    ['Kennedy, John F., Jr.', 'Kennedy John F. Jr.']
    """
    return _of_person(
        name,
        lambda parts: [
            f"{parts.last}, {' '.join(parts.given)}" + (f", {parts.suffix}" if parts.suffix else ""),
            _words(parts.last, *parts.given, parts.suffix),
        ],
    )


def dropped_middle(name: str) -> list[str]:
    """Return the name without the given names after the first.

    >>> dropped_middle("John Fitzgerald Kennedy")
    ['John Kennedy']
    """
    return _of_person(name, lambda parts: [_joined(parts.given[:1], parts)] if len(plain(parts.given[0])) > 1 else [])


def title_added(name: str) -> list[str]:
    """Return the name after each of a few titles, or nothing if it has one.

    >>> title_added("Ann Ox")[:2]
    ['Dr. Ann Ox', 'Prof. Ann Ox']
    """
    return _of_person(
        name, lambda parts: [] if parts.title else [f"{title} {_joined(parts.given, parts)}" for title in TITLES]
    )


def title_dropped(name: str) -> list[str]:
    """Return the name without its title.

    >>> title_dropped("Sen. Ann Ox")
    ['Ann Ox']
    """
    return _of_person(name, lambda parts: [_joined(parts.given, parts)] if parts.title else [])


def suffixes(name: str) -> list[str]:
    """Return other spellings of the suffix. It is never dropped, because father and son are two entities.

    >>> suffixes("John Ox, Jr.")
    ['John Ox Jr.', 'John Ox Junior']
    """
    return _of_person(
        name,
        lambda parts: [
            _joined(parts.given, parts._replace(suffix=other)) for other in _SUFFIXES.get(plain(parts.suffix), ())
        ],
    )


def nicknames(name: str) -> list[str]:
    """Return the first name by its common short forms in English, and a short form by its possible full names.

    >>> nicknames("William Jefferson Clinton"), nicknames("Tony Ox")
    (['Bill Jefferson Clinton', 'Billy Jefferson Clinton', 'Will Jefferson Clinton'], ['Anthony Ox'])
    """

    def renamed(parts: Person) -> list[str]:
        first = parts.given[0].casefold()
        others = [*SHORT_NAMES.get(first, ()), *FULL_NAMES.get(first, ())]
        return [_joined((_like(other, parts.given[0]), *parts.given[1:]), parts) for other in others]

    return _of_person(name, renamed)


def diacritics(name: str) -> list[str]:
    """Return Latin letters without diacritics, and German ones written out. Other scripts stay.

    >>> diacritics("Jörg Müller"), diacritics("José"), diacritics("Ann")
    (['Jorg Muller', 'Joerg Mueller'], ['Jose'], [])
    """
    bare = "".join(_bare(letter) for letter in unicodedata.normalize("NFC", name))
    written_out = "".join(_bare(letter) for letter in unicodedata.normalize("NFC", name).translate(_UMLAUTS))
    return _others(name, [bare, written_out])


def acronym(name: str) -> list[str]:
    """Return the initials of an organization without small words, or nothing for fewer than three capitals.

    >>> acronym("National Football League"), acronym("Bank of America")
    (['NFL'], [])
    """
    words = [word for word in re.split(r"[\s/-]+", name) if word and word.casefold() not in _SMALL]
    letters = "".join(word[0] for word in words)
    return [letters] if len(letters) > 2 and letters.isalpha() and letters.isupper() and is_latin(name) else []


RULES: dict[str, Rule] = {
    "initials": initials,
    "monogram": monogram,
    "inverted": inverted,
    "dropped-middle": dropped_middle,
    "title-added": title_added,
    "title-dropped": title_dropped,
    "suffix": suffixes,
    "nickname": nicknames,
    "diacritics": diacritics,
    "acronym": acronym,
}


class Variant(NamedTuple):
    """Another spelling, and the rule that made it."""

    text: str
    rule: str


def check_rules(rules: Sequence[str]) -> None:
    """Raise LookupError with the nearest name unless there are rules with all these names."""
    for rule in rules:
        if rule not in RULES:
            raise unknown("rule", rule, RULES)


def variants(name: str, rules: Sequence[str], rng: np.random.Generator) -> list[Variant]:
    """Draw at most one variant of a name by each rule, each once and none equal to the name.

    Raise LookupError if no rule has that name.

    >>> variants("John Fitzgerald Kennedy", ["monogram", "dropped-middle"], np.random.default_rng(0))
    [Variant(text='JFK', rule='monogram'), Variant(text='John Kennedy', rule='dropped-middle')]
    """
    check_rules(rules)
    rule_of: dict[str, str] = {}
    for rule in rules:
        fresh = [text for text in RULES[rule](name) if text not in rule_of]
        for i in rng.permutation(len(fresh))[:1]:
            rule_of[fresh[i]] = rule
    return [Variant(text, rule) for text, rule in rule_of.items()]


def _of_person(name: str, spell: Callable[[Person], list[str]]) -> list[str]:
    parts = person_name(name)
    return _others(name, spell(parts)) if parts else []


def _others(name: str, texts: Sequence[str]) -> list[str]:
    """Return the texts without the name itself, each once."""
    return [text for text in dict.fromkeys(texts) if text != name]


def _words(*words: str) -> str:
    return " ".join(word for word in words if word)


def _joined(given: Sequence[str], parts: Person) -> str:
    return _words(*given, parts.last, parts.suffix)


def _initialled(given: tuple[str, ...]) -> list[tuple[str, ...]]:
    short = tuple("-".join(f"{part[0]}." for part in word.split("-") if part) for word in given)
    return [short, ("".join(short),), (given[0], *short[1:])]


def _like(word: str, other: str) -> str:
    """Return the word in lower case if the other is."""
    return word.lower() if other.islower() else word


def _bare(letter: str) -> str:
    if not unicodedata.name(letter, "").startswith("LATIN"):
        return letter
    return _LETTERS.get(letter) or unicodedata.normalize("NFD", letter)[0]
