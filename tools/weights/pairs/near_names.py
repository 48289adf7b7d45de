"""Two near meanings: entities whose names differ in one word, opposites of a field, lists that differ in one item."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from tools.weights.pairs.draws import draw_one, every_fifth, split_of
from tools.weights.pairs.lexicon import Lexicon
from tools.weights.pairs.meanings import Meanings
from tools.weights.pairs.roles import ENTITIES
from tools.weights.tables import table

_NEAR: dict[str, Any] = table(__file__, "near")
_FIELDS = Path(__file__).parent / "sources" / "fields.txt"
_LISTED = ("fruit", "planet", "composer", "organ", "vitamin", "month", "element", "country", "city", "unit", "org")
_JOINED = ("{0}, {1} and {2}", "{0}, {1}, {2}", "{0}, {1}, and {2}", "{0} and {1} as well as {2}", "{0}; {1}; {2}",
           "It is {0}, {1} and {2}.", "1. {0} 2. {1} 3. {2}", "The three are {0}, {1} and {2}.")  # fmt: skip
_PAIRED = ("{0} and {1}", "{0}, {1}", "both {0} and {1}", "{0} as well as {1}", "It is {0} and {1}.", "{0} & {1}")


def family(split: str, rng: np.random.Generator, lexicon: Lexicon) -> Meanings | None:
    """Draw two names of one family: another head, or another name with the same head."""
    chosen = draw_one(_NEAR["families"], rng)
    names, heads = every_fifth(chosen["names"], split), chosen["heads"]
    one, other = (int(i) for i in rng.choice(len(heads), 2, replace=False))
    name = draw_one(names, rng)
    if rng.random() < 0.3:
        return Meanings((_forms(chosen, heads[one], name), _forms(chosen, heads[one], draw_one(names, rng)))).distinct()
    return Meanings((_forms(chosen, heads[one], name), _forms(chosen, heads[other], name)))


def _forms(family: dict[str, Any], head: str, name: str) -> list[str]:
    whole = head.format(n=name) if "{n}" in head else f"{head} {name}"
    return [form.format(h=whole if "{n}" not in form else head, n=name) for form in family["forms"]]


def team(split: str, rng: np.random.Generator, lexicon: Lexicon) -> Meanings | None:
    """Draw two teams of one city."""
    city, *teams = draw_one(every_fifth(_NEAR["teams"], split), rng)
    one, other = (teams[int(i)] for i in rng.choice(len(teams), 2, replace=False))
    return Meanings((_team(city, one), _team(city, other)), rng.choice(["", "", "Which team won?"]))


def _team(city: str, name: str) -> list[str]:
    return [f"{city} {name}", f"the {city} {name}", f"the {name} of {city}", f"It was the {city} {name}."]


@lru_cache(maxsize=2)
def fields(split: str) -> tuple[tuple[list[str], list[str]], ...]:
    """Return the opposites of fields of this split, each with its names."""
    lines = [line for line in _FIELDS.read_text("utf-8").splitlines() if not line.startswith("#")]
    kept = [line for line in lines if split_of(line) == split]
    return tuple((one.split("="), other.split("=")) for one, other in (line.split("/") for line in kept))


def field(split: str, rng: np.random.Generator, lexicon: Lexicon) -> Meanings | None:
    """Draw opposites of a field, with their names and descriptions, alone or in a phrase."""
    one, other = draw_one(fields(split), rng)
    form = draw_one(("{}", "{}", "the {}", "It is called {}.", "This is {}.", "The answer is {}."), rng)
    extended = ([*one, form.format(one[0])], [*other, form.format(other[0])])
    return Meanings(extended)


def named(split: str, rng: np.random.Generator, lexicon: Lexicon) -> Meanings | None:
    """Draw two entities of WordNet whose names share a word."""
    group = draw_one(lexicon.names[split], rng)
    one, other = (group[int(i)] for i in rng.choice(len(group), 2, replace=False))
    form = draw_one(("It was {}.", "{}", "the answer is {}", "I think it is {}."), rng)
    forms = tuple([*names, *(form.format(name) for name in names)] for names in (one, other))
    return Meanings((forms[0], forms[1])).distinct()


def listed(split: str, rng: np.random.Generator, lexicon: Lexicon) -> Meanings | None:
    """Draw a list of items in any order, against one with another item, or with an item less."""
    items = every_fifth(ENTITIES[draw_one(_LISTED, rng)], split) if split == "dev" else ENTITIES[draw_one(_LISTED, rng)]
    if len(items) < 4:
        return None
    drawn = [items[int(i)] for i in rng.permutation(len(items))[:4]]
    size = 3 if rng.random() < 0.7 else 2
    one = drawn[:size]
    other = drawn[:2] if size == 3 and rng.random() < 0.4 else [*one[:-1], drawn[3]]
    return Meanings((_list(one, rng), _list(other, rng)))


def _list(items: Sequence[str], rng: np.random.Generator) -> list[str]:
    joined = _JOINED if len(items) == 3 else _PAIRED
    return [form.format(*(items[int(i)] for i in rng.permutation(len(items)))) for form in joined]
