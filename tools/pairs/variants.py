"""Other spellings of the name of a person by rule: initials, inverted order, nicknames, titles."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from answersim._base.errors import unknown
from answersim.answers.typed.person import FULL_NAMES, SHORT_NAMES, Person, person_name

Rule: TypeAlias = Callable[[Person], Iterator[str]]

TITLES = ("Dr.", "Prof.", "Sen.", "Rep.", "Gov.")  # to add; all fit every personal name


def initials(parts: Person) -> Iterator[str]:
    """Yield given names as initials, and only those after the first."""
    short = ["-".join(f"{part[0]}." for part in word.split("-") if part) for word in parts.given]
    for given in (short, ["".join(short)], [parts.given[0], *short[1:]]):
        yield _joined(given, parts)


def inverted(parts: Person) -> Iterator[str]:
    """Yield the last name first, with a comma and (as in the names set of the paper) without."""
    yield f"{parts.last}, {' '.join(parts.given)}" + (f", {parts.suffix}" if parts.suffix else "")
    yield " ".join(word for word in (parts.last, *parts.given, parts.suffix) if word)


def title_added(parts: Person) -> Iterator[str]:
    """Yield the name after each of a few titles, or nothing if it has one."""
    yield from (f"{title} {_joined(parts.given, parts)}" for title in TITLES if not parts.title)


def nicknames(parts: Person) -> Iterator[str]:
    """Yield the first name by its common short forms in English, and a short form by its possible full names."""
    first = parts.given[0]
    for other in (*SHORT_NAMES.get(first.casefold(), ()), *FULL_NAMES.get(first.casefold(), ())):
        yield _joined((other.lower() if first.islower() else other, *parts.given[1:]), parts)


def _joined(given: Sequence[str], parts: Person) -> str:
    return " ".join(word for word in (*given, parts.last, parts.suffix) if word)


RULES: dict[str, Rule] = {"initials": initials, "inverted": inverted, "title-added": title_added, "nickname": nicknames}


def spellings(name: str, rule: str) -> list[str]:
    """Return the other spellings of a name by a rule, each once; none if it is not the name of a person.

    Raise LookupError with the nearest name if no rule has this name.

    >>> spellings("John Fitzgerald Kennedy", "initials"), spellings("John F. Kennedy Jr.", "inverted")
    (['J. F. Kennedy', 'J.F. Kennedy', 'John F. Kennedy'], ['Kennedy, John F., Jr.', 'Kennedy John F. Jr.'])
    """
    if rule not in RULES:
        raise unknown("rule", rule, RULES)
    parts = person_name(name)
    return [text for text in dict.fromkeys(RULES[rule](parts) if parts else ()) if text != name]


def variants(name: str, rules: Sequence[str], rng: np.random.Generator) -> dict[str, str]:
    """Draw at most one variant of a name by each rule, none equal to the name. Return the rule of each.

    Raise LookupError if no rule has that name.
    """
    rule_of: dict[str, str] = {}
    for rule in rules:
        fresh = [text for text in spellings(name, rule) if text not in rule_of]
        for i in rng.permutation(len(fresh))[:1]:
            rule_of[fresh[i]] = rule
    return rule_of
