"""Build training pairs from entities and their spellings: aliases labeled 1, and random pairs for the teacher (3.2).

Rules add other spellings of the name of a person: initials, inverted order, nicknames, titles.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np

from answersim._base.errors import unknown
from answersim.answers.typed.person import FULL_NAMES, SHORT_NAMES, Person, person_name
from answersim.training.data.pairs import SPLITS, TrainingPair, split_of_texts
from tools.pairs.alias_tables import Entity

Rule: TypeAlias = Callable[[Person], Iterator[str]]

TITLES = ("Dr.", "Prof.", "Sen.", "Rep.", "Gov.")  # to add; all fit every personal name


@dataclass(frozen=True)
class AliasPairConfig:
    """The settings that determine the pairs of a table of entities."""

    groups: tuple[str, ...] = ()  # only entities of one of these groups, in any case; () for all
    most_spellings: int = 3  # entities with more are dropped, because they are rarely one person. 0 means no limit.
    rounds: int = 1  # of random pairs. In each, every name is once the first and once the second text.
    last_names: int = 0  # hard negatives: the number of names of other entities with the same last name, per name
    last_name_label: float | None = None  # the label of these pairs; None leaves it to the teacher
    rules: tuple[str, ...] = ()  # the rules of ``variants`` that add spellings of each name, labeled 1


class AliasPairs(NamedTuple):
    """The pairs, and how many entities are left out because they have too many spellings."""

    pairs: list[TrainingPair]
    dropped: int


class _Given(NamedTuple):
    """The input for pairs: entities, the split of each text, and the entities with that name (by position)."""

    entities: list[Entity]
    split: dict[str, str]
    owners: dict[str, set[int]]


def alias_pairs(entities: Iterable[Entity], config: AliasPairConfig, rng: np.random.Generator) -> AliasPairs:
    """Return the pairs of these entities: section 3.2 of the paper, with optional additions.

    In order: alias pairs (label 1), variants by rule (1), pairs of one last name, random pairs (None). Every pair
    occurs once, in one order, and never contains one text twice. Splits are by entity; entities that share a spelling
    are in the same split, so no text is in two splits. Texts of random pairs are never spellings of one entity.
    """
    kept, dropped = _kept(entities, config)
    edges = [(entity.name, alias) for entity in kept for alias in entity.aliases]
    owners: dict[str, set[int]] = defaultdict(set)
    for i, entity in enumerate(kept):
        for text in (entity.name, *entity.aliases):
            owners[text].add(i)
    given = _Given(kept, split_of_texts(edges, list(owners), rng=rng), owners)
    aliases = (pair for entity in kept for pair in combinations((entity.name, *entity.aliases), 2))
    same = (TrainingPair(first, second, 1.0, given.split[first], "alias") for first, second in aliases)
    by_rule = list(_variant_pairs(given, config, rng))
    unique: dict[frozenset[str], TrainingPair] = {}
    for pairs in (same, by_rule, _last_names(given, config, rng), _random(given, config, rng)):
        for pair in pairs:
            unique.setdefault(frozenset(pair[:2]), pair)
    return AliasPairs(list(unique.values()), dropped)


def _kept(entities: Iterable[Entity], config: AliasPairConfig) -> tuple[list[Entity], int]:
    """Return the entities of the groups with the wanted spellings, and how many of them have too many."""
    wanted, kept, dropped = {group.casefold() for group in config.groups}, list[Entity](), 0
    others: Counter[str] = Counter()
    for entity in entities:
        if wanted and not wanted & {group.casefold() for group in entity.groups}:
            others[entity.groups[0] if entity.groups else "(no group)"] += 1
            continue
        name, *aliases = [text for text in dict.fromkeys((entity.name, *entity.aliases)) if text] or [""]
        if name and not 0 < config.most_spellings < 1 + len(aliases):
            kept.append(Entity(name, tuple(aliases), entity.groups))
        else:
            dropped += 1
    if not kept:
        frequent = ", ".join(f"{group} ({count:,})" for group, count in others.most_common(9))
        raise ValueError(
            f"no entity is left: {dropped:,} have more than {config.most_spellings} spellings, {others.total():,} "
            f"are in none of the groups {config.groups}" + (f", but of: {frequent}" if frequent else "")
        )
    return kept, dropped


def _variant_pairs(given: _Given, config: AliasPairConfig, rng: np.random.Generator) -> Iterator[TrainingPair]:
    """Yield names with their variants, without those that another entity has as a name or a variant too."""
    candidates: list[tuple[str, str, str]] = []
    meant = {text: set(owners) for text, owners in given.owners.items()}
    for i, entity in enumerate(given.entities if config.rules else ()):
        for text, rule in variants(entity.name, config.rules, rng).items():
            candidates.append((entity.name, text, rule))
            meant.setdefault(text, set()).add(i)
    for name, text, rule in candidates:
        if len(meant[text]) == 1:
            yield TrainingPair(name, text, 1.0, given.split[name], f"variant:{rule}")


def _random(given: _Given, config: AliasPairConfig, rng: np.random.Generator) -> Iterator[TrainingPair]:
    """Pair each name of a split with the next in random order, and the last with the first."""
    names = list(dict.fromkeys(entity.name for entity in given.entities))
    for _ in range(config.rounds):
        for split in SPLITS:
            within = [name for name in names if given.split[name] == split]
            order = [within[i] for i in rng.permutation(len(within))]
            for first, second in zip(order, [*order[1:], *order[:1]], strict=True):
                if not given.owners[first] & given.owners[second]:
                    yield TrainingPair(first, second, None, split, "random")


def _last_names(given: _Given, config: AliasPairConfig, rng: np.random.Generator) -> Iterator[TrainingPair]:
    if not config.last_names:
        return
    families: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name in dict.fromkeys(entity.name for entity in given.entities):
        if parts := person_name(name):
            families[given.split[name], parts.last.casefold()].append(name)
    for (split, _), names in families.items():
        for name in names:
            others = [other for other in names if not given.owners[name] & given.owners[other]]
            for i in rng.permutation(len(others))[: config.last_names]:
                yield TrainingPair(name, others[i], config.last_name_label, split, "last-name")


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
