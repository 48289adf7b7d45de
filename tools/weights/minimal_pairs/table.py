"""The whole table: its rules and couples, the number of families, and the part of each family."""

from __future__ import annotations

import csv
import hashlib
import io
from collections import defaultdict
from collections.abc import Callable, Iterator
from random import Random

from answersim.data.minimal_pairs import COLUMNS, ProbeRow
from tools.weights.minimal_pairs import (
    damage,
    dates,
    facts,
    lists,
    money,
    negation,
    numerals,
    precision,
    quantities,
    ranges,
    shares,
    times,
)
from tools.weights.minimal_pairs.couples import couples
from tools.weights.minimal_pairs.family import Family
from tools.weights.minimal_pairs.overlap import digest, excluded

SEED = "answersim 1"
# For each kind that is drawn: the rule, and the number of families in English, German, Chinese and Japanese.
LANGUAGES = ("en", "de", "zh", "ja")
RULES: dict[str, tuple[Callable[[Random, str], Family | None], tuple[int, int, int, int]]] = {
    "date": (dates.family, (60, 24, 12, 12)),
    "hedge": (facts.hedged, (50, 18, 6, 6)),
    "list-completeness": (lists.incomplete, (44, 16, 6, 6)),
    "list-order": (lists.order, (44, 16, 6, 6)),
    "mojibake": (damage.mojibake, (50, 20, 8, 8)),
    "money": (money.family, (50, 20, 10, 10)),
    "negation": (negation.family, (50, 20, 8, 8)),
    "numeral": (numerals.family, (56, 22, 10, 10)),
    "percentage": (shares.family, (50, 20, 10, 10)),
    "precision": (precision.family, (48, 18, 6, 6)),
    "range": (ranges.family, (50, 20, 8, 8)),
    "time": (times.family, (50, 20, 10, 10)),
    "typo": (damage.typo, (50, 22, 0, 0)),
    "unit-conversion": (quantities.family, (56, 22, 8, 8)),
    "verbosity": (facts.verbose, (52, 20, 8, 8)),
}


def rows() -> list[ProbeRow]:
    """Return all rows, in the order of the file: by language, kind and family, label 1 first.

    Raise ValueError if two families have the same gold answer and candidates, or a gold answer equals its candidate.
    """
    result = []
    for language in LANGUAGES:
        groups: dict[str, list[tuple[Family, ...]]] = defaultdict(list)
        for kind, (rule, counts) in RULES.items():
            groups[kind] = [(family,) for family in drawn(kind, language, rule, counts[LANGUAGES.index(language)])]
        for kind, twins in couples(language):
            if not any(map(repeats, twins)):
                groups[kind].append(twins)
        for kind in sorted(groups):
            result += list(_numbered(language, kind, groups[kind]))
    _check(result)
    return result


def drawn(kind: str, language: str, rule: Callable[[Random, str], Family | None], count: int) -> list[Family]:
    """Draw this many different families of a kind. Each kind has its own generator, seeded by its name."""
    rng = Random(f"{SEED} {kind} {language}")
    found: dict[tuple[str, ...], Family] = {}
    for _ in range(2000 * count):
        if len(found) == count:
            return list(found.values())
        family = rule(rng, language)
        if family and len({text.casefold() for text in family[1:]}) == 3 and not repeats(family):
            found.setdefault((family.gold.casefold(), family.same.casefold()), family)
    if len(found) < count:
        raise ValueError(
            f"{kind} in {language!r} has {len(found)} different families, fewer than {count}; ask for fewer"
        )
    return list(found.values())


def repeats(family: Family) -> bool:
    """Return whether a row of this family would repeat a pair of a labeled or training set."""
    return any(digest(family.gold, text) in excluded() for text in (family.same, family.different))


def _numbered(language: str, kind: str, groups: list[tuple[Family, ...]]) -> Iterator[ProbeRow]:
    names = [f"{language}-{kind}-{i:03}" for i in range(1, len(groups) + 1)]
    parts = halves(names)
    for name, group in zip(names, groups, strict=True):
        for suffix, family in zip(("",) if len(group) == 1 else ("a", "b"), group, strict=True):
            key = language, kind, name + suffix, parts[name], family.question, family.gold
            yield ProbeRow(*key, candidate=family.same, label=1)
            yield ProbeRow(*key, candidate=family.different, label=0)


def halves(names: list[str]) -> dict[str, str]:
    """Return the part of each of these identifiers: "dev" for the half with the lower SHA-256, else "test".

    >>> sorted(halves(["en-date-001", "en-date-002", "en-date-003", "en-date-004"]).values())
    ['dev', 'dev', 'test', 'test']
    """
    ordered = sorted(names, key=lambda name: hashlib.sha256(name.encode()).hexdigest())
    return {name: "dev" if 2 * i < len(names) else "test" for i, name in enumerate(ordered)}


def _check(table: list[ProbeRow]) -> None:
    seen: dict[tuple[str, ...], str] = {}
    for row in table:
        pair = row.language, row.question, row.gold, row.candidate
        if row.gold == row.candidate:
            raise ValueError(
                f"{row.family}: the candidate {row.candidate!r} is the gold answer; write it in another way"
            )
        if pair in seen:
            raise ValueError(f"{row.family} repeats {pair} of {seen[pair]}; remove one")
        seen[pair] = row.family


def as_csv(table: list[ProbeRow]) -> str:
    """Return these rows as the text of the file."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(table)
    return file.getvalue()
