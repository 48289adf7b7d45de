"""Two meanings with the same words in other roles: who did it to whom, which is larger, what was first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np

from tools.tables import table
from tools.weights.pairs.draws import TEXTS, Lexicon, Meanings, capital, draw_one, every_fifth

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
            found.append(Relation((one, other), [*chain(*map(_forms, body.split("; ")))], head[:5] != "both "))
    return tuple(found)


def _forms(part: str) -> list[str]:
    """Return the forms of a part of a line: itself, or the active and the passive of "past/participle".

    >>> _forms("beat/beaten"), _forms("ran after/none"), _forms("{A} is above {B}")
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
    forms = [form for pair in draw_one(lexicon.verbs[split], rng) for form in _forms("/".join(pair))]
    relation = Relation(("person", "person") if rng.random() < 0.5 else ("role", "role"), forms)
    one, other, _ = entities(relation.kinds, split, rng)
    return None if one == other else Meanings((relation.texts(one, other, rng), relation.texts(other, one, rng)))


def entities(kinds: tuple[str, str], split: str, rng: np.random.Generator) -> tuple[str, str, str]:
    """Draw the entities of both roles, and another one of the first kind. Every fifth one is in dev only."""
    return tuple(draw_one(every_fifth(ENTITIES[kind], split), rng) for kind in (*kinds, kinds[0]))  # type: ignore[return-value]
