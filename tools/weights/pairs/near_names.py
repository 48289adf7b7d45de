"""Two near meanings: entities whose names differ in one word, opposites of a field, lists that differ in one item."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from tools.tables import table
from tools.weights.pairs import draws
from tools.weights.pairs.draws import TEXTS, Lexicon, Meanings, draw_one, draw_two, every_fifth, shuffled
from tools.weights.pairs.roles import ENTITIES


def family(split: str, rng: np.random.Generator, lexicon: Lexicon) -> Meanings | None:
    """Draw two names of one family: another head, or another name with the same head."""
    names = every_fifth((chosen := draw_one(TEXTS["families"], rng))["names"], split)
    (one, other), name = draw_two(chosen["heads"], rng), draw_one(names, rng)
    if rng.random() < 0.3:
        return Meanings((_forms(chosen, one, name), _forms(chosen, one, draw_one(names, rng)))).distinct()
    return Meanings((_forms(chosen, one, name), _forms(chosen, other, name)))


def _forms(family: dict[str, Any], head: str, name: str) -> list[str]:
    whole = head.format(n=name) if "{n}" in head else f"{head} {name}"
    return [form.format(h=whole if "{n}" not in form else head, n=name) for form in family["forms"]]


def team(split: str, rng: np.random.Generator, lexicon: Lexicon) -> Meanings | None:
    """Draw two teams of one city."""
    city, *teams = draw_one(every_fifth(TEXTS["teams"], split), rng)
    one, other = (draws.filled("team forms", city=city, team=name) for name in draw_two(teams, rng))
    return Meanings((one, other), draw_one(("", "", "Which team won?"), rng))


@lru_cache(maxsize=2)
def fields(split: str) -> tuple[tuple[list[str], list[str]], ...]:
    """Return the opposites of fields of this split, each with its names."""
    kept = (line.split("/") for line in table(__file__, "fields.txt") if draws.split_of(line) == split)
    return tuple((one.split("="), other.split("=")) for one, other in kept)


def field(split: str, rng: np.random.Generator, lexicon: Lexicon) -> Meanings | None:
    """Draw opposites of a field, with their names and descriptions, alone or in a phrase."""
    (one, other), form = draw_one(fields(split), rng), draw_one(TEXTS["field phrases"], rng)
    return Meanings(([*one, form.format(one[0])], [*other, form.format(other[0])]))


def name(split: str, rng: np.random.Generator, lexicon: Lexicon) -> Meanings | None:
    """Draw two entities of WordNet whose names share a word."""
    entities, form = draw_two(draw_one(lexicon.names[split], rng), rng), draw_one(TEXTS["name phrases"], rng)
    one, other = ([*names, *map(form.format, names)] for names in entities)
    return Meanings((one, other)).distinct()


def list_(split: str, rng: np.random.Generator, lexicon: Lexicon) -> Meanings | None:
    """Draw a list of items in any order, against one with another item, or with an item less."""
    items = ENTITIES[draw_one(TEXTS["listed"], rng)]
    if len(items := every_fifth(items, split) if split == "dev" else items) < 4:
        return None
    drawn = shuffled(items, rng, 4)
    one = drawn[: 3 if rng.random() < 0.7 else 2]
    other = drawn[:2] if len(one) == 3 and rng.random() < 0.4 else [*one[:-1], drawn[3]]
    kinds = {2: "couples", 3: "triples"}
    lists = [[form.format(*shuffled(items, rng)) for form in TEXTS[kinds[len(items)]]] for items in (one, other)]
    return Meanings((lists[0], lists[1]))
