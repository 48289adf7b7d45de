"""Two near meanings: other roles of the same words, names that differ in a word, opposites of a field, other lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from tools.tables import table
from tools.weights.pairs import draws
from tools.weights.pairs.draws import TEXTS, Lexicon, Meanings, capital, draw_one, draw_two, every_fifth, shuffled

ENTITIES: Mapping[str, Sequence[str]] = table(__file__, "entities.json")


class Relation(NamedTuple):
    """A relation of two roles: the kind of entity of each, and its forms with {A} and {B}."""

    kinds: tuple[str, str]
    forms: Sequence[str]
    ordered: bool = True  # whether the exchanged roles are another meaning

    def texts(self, one: str, other: str, rng: np.random.Generator) -> list[str]:
        """Return all forms with these entities, most of them in a longer sentence."""
        filled = [form.replace("{A}", one).replace("{B}", other) for form in self.forms]
        return [capital(draw_one(TEXTS["role sentences"], rng).replace("{}", form)) for form in filled]


@lru_cache(maxsize=2)
def relations(split: str) -> tuple[Relation, ...]:
    """Return the relations of ``sources/roles.txt`` of this split."""
    found = []
    for line in table(__file__, "roles.txt"):
        if line.startswith("dev ") == (split == "dev"):
            head, _, body = line.removeprefix("dev ").partition(": ")
            one, other = head.removeprefix("both ").split()
            found.append(Relation((one, other), [*chain(*map(_role_forms, body.split("; ")))], head[:5] != "both "))
    return tuple(found)


def _role_forms(part: str) -> list[str]:
    """Return the forms of a part of a line: itself, or the active and the passive of "past/participle".

    >>> _role_forms("beat/beaten"), _role_forms("ran after/none"), _role_forms("{A} is above {B}")
    (['{A} beat {B}', '{B} was beaten by {A}'], ['{A} ran after {B}'], ['{A} is above {B}'])
    """
    if "{" in part:
        return [part]
    past, _, participle = part.partition("/")
    return [f"{{A}} {past} {{B}}", f"{{B}} was {participle or past} by {{A}}"][: 1 + (participle != "none")]


def listed(split: str, rng: np.random.Generator, lexicon: Lexicon) -> Meanings | None:
    """Draw a listed relation of two entities, against the exchanged roles (a third entity if it has no order)."""
    relation = draw_one(relations(split), rng)
    one, other, third = entities(relation.kinds, split, rng)
    rival = (other, one) if relation.ordered else (third, other)
    if len({one, other, third}) < 3:
        return None
    return Meanings((relation.texts(one, other, rng), relation.texts(*rival, rng)))


def asked(split: str, rng: np.random.Generator, lexicon: Lexicon) -> Meanings | None:
    """Draw the same as sentences that answer "Who or what ... B?", with the entity alone as the gold answer."""
    relation = draw_one(relations(split), rng)
    one, other, third = entities(relation.kinds, split, rng)
    actives = [form for form in relation.forms if form.startswith("{A} ") and " and " not in form]
    if not relation.ordered or not actives or len({one, other, third}) < 3:
        return None
    what = "Who" if relation.kinds[0] in ("person", "role") else "What"
    question = draw_one(actives, rng).replace("{A}", what).replace("{B}", other) + "?"
    wrong = [*relation.texts(other, one, rng), *relation.texts(other, third, rng)]
    forms = (relation.texts(one, other, rng), relation.texts(third, other, rng))
    return Meanings(forms, question, ([one], [third]), wrong)


def verbs(split: str, rng: np.random.Generator, lexicon: Lexicon) -> Meanings | None:
    """Draw a verb of WordNet between people, active and passive, with its synonyms, and exchange the roles."""
    forms = [form for pair in draw_one(lexicon.verbs[split], rng) for form in _role_forms("/".join(pair))]
    relation = Relation(("person", "person") if rng.random() < 0.5 else ("role", "role"), forms)
    one, other, _ = entities(relation.kinds, split, rng)
    return None if one == other else Meanings((relation.texts(one, other, rng), relation.texts(other, one, rng)))


def entities(kinds: tuple[str, str], split: str, rng: np.random.Generator) -> tuple[str, str, str]:
    """Draw the entities of both roles, and another one of the first kind. Every fifth one is in dev only."""
    return tuple(draw_one(every_fifth(ENTITIES[kind], split), rng) for kind in (*kinds, kinds[0]))  # type: ignore[return-value]


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
