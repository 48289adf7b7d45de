"""Write the toy set: ``python -m tools.weights.toy.make`` writes toy.jsonl from world.txt, always the same bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeVar

from rankers.data import toy
from rankers.data.pools import share, shuffle
from tools.weights.toy import names

T = TypeVar("T")

WORLD = Path(__file__).with_name("world.txt")
TOY = Path(toy.__file__).with_name("toy.jsonl")

SIZES = {"train": (13, 12), "dev": (2, 3), "test": (5, 5)}  # things of a kind, in turn for every second kind
ASKED = 3  # questions about each thing, of the five of its kind
CANDIDATES = 8
NAMED = 0.75  # how often a sentence in other words calls the thing by its name
TWICE, VAGUE, ECHO, ECHOES, FACTS, OTHERS = 0.4, 0.6, 0.8, 0.1, 0.4, 0.4  # how often there is (another) one of these


@dataclass
class Relation:
    """A property of the things of a kind: questions, sentences by their sign in world.txt, and values."""

    name: str
    sentences: dict[str, list[str]] = field(default_factory=lambda: {sign: [] for sign in "?=~-!"})
    values: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class Kind:
    """A kind of things: the words for one with and without its name, and its properties."""

    name: str
    noun: str
    long: str
    relations: list[Relation] = field(default_factory=list)


class Thing(NamedTuple):
    """One thing of the world, in one split."""

    name: str
    kind: Kind
    split: str

    def value(self, relation: Relation) -> tuple[str, str]:
        """Return its value for this relation, exactly and vaguely."""
        return _one(relation.values, "value", self.name, relation.name)


class Made(NamedTuple):
    """A candidate: its grade, and its text."""

    grade: int
    text: str


def world(path: Path) -> list[Kind]:
    """Return the kinds of things in this file."""
    kinds: list[Kind] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        sign, _, rest = line.partition(" ")
        if sign == "@":
            name, noun, long = rest.split(" | ")
            kinds.append(Kind(name, noun, long))
        elif sign == "*":
            kinds[-1].relations.append(Relation(rest))
        elif sign == ":":
            exact, vague = rest.split(" | ")
            kinds[-1].relations[-1].values.append((exact, vague))
        elif sign in ("?", "=", "~", "-", "!"):
            kinds[-1].relations[-1].sentences[sign].append(rest)
    return kinds


def things(kinds: Sequence[Kind]) -> list[Thing]:
    """Return the things of every split. No two share a name, or the stem of a name."""
    stems = iter(names.stems())
    return [
        Thing(names.name(kind.name, stems), kind, split)
        for split, sizes in SIZES.items()
        for place, kind in enumerate(kinds)
        for _ in range(sizes[place % 2])
    ]


def rows(kinds: Sequence[Kind]) -> Iterator[dict[str, object]]:
    """Yield the questions in order, each as in toy.jsonl."""
    everything = things(kinds)
    taken: dict[str, str] = {}  # the split of every text, so that none is in two
    for place, thing in enumerate(everything):
        relations = thing.kind.relations
        for turn in range(ASKED):
            relation = relations[(ASKED * place + turn) % len(relations)]
            others = [other for other in everything if other.split == thing.split and other != thing]
            question = _filled(_one(relation.sentences["?"], "?", thing.name, relation.name), thing, relation, True)
            answers = candidates(thing, relation, others, taken)
            yield {
                "split": thing.split,
                "question": question,
                "golds": [_capital(thing.value(relation)[0])],
                "candidates": shuffle(answers, [answer.text for answer in answers], "order", question),
            }


def candidates(thing: Thing, relation: Relation, others: Sequence[Thing], taken: dict[str, str]) -> list[Made]:
    """Return eight candidates for the question about this relation of this thing; see the README for the grades."""
    key = (thing.name, relation.name)
    maker = _Maker(taken, key)
    maker.add(3, thing, relation, "~")
    if _often(TWICE, "twice", *key):
        maker.add(3, thing, relation, "=")
    if _often(VAGUE, "vague", *key):
        maker.add(2, thing, relation, "-")
    for number in range(_often(ECHO, "echo", *key) + _often(ECHOES, "echoes", *key)):
        maker.add(1, thing, relation, "!", number)
    facts = shuffle(
        *_with_names([other_relation for other_relation in thing.kind.relations if other_relation is not relation]),
        "facts",
        *key,
    )
    for other_relation in facts[: 1 + _often(FACTS, "facts?", *key)]:
        maker.add(1, thing, other_relation, _one("=~~-", "sign", other_relation.name, *key))
    alike = [item for item in others if item.kind is thing.kind and item.value(relation) != thing.value(relation)]
    alike = shuffle(alike, [item.name for item in alike], "alike", *key)
    room = CANDIDATES - len(maker.made)
    for other in alike[: min(room, 1 + _often(OTHERS, "others", *key))]:
        maker.add(0, other, relation, _one("=~~-", "sign", other.name, *key), named=True)
    strange = [item for item in others if item.kind is not thing.kind]
    for other in shuffle(strange, [item.name for item in strange], "strange", *key):
        if len(maker.made) == CANDIDATES:
            break
        maker.add(
            0, other, _one(other.kind.relations, "strange", other.name, *key), _one("~~-!", "sign", other.name, *key)
        )
    return maker.made


class _Maker:
    """Collects the candidates of one question."""

    def __init__(self, taken: dict[str, str], key: tuple[str, str]) -> None:
        self.taken, self.key, self.made = taken, key, list[Made]()

    def add(
        self, grade: int, thing: Thing, relation: Relation, sign: str, number: int | None = None, named: bool = False
    ) -> None:
        sentences = relation.sentences[sign]
        key = (sign, thing.name, relation.name, *self.key)
        sentence = _one(sentences, *key) if number is None else sentences[number]
        text = _filled(sentence, thing, relation, named or _often(NAMED, "named", *key))
        if self.taken.setdefault(text, thing.split) != thing.split:  # with the name, it is in no other split
            text = _filled(sentence, thing, relation, True)
            self.taken[text] = thing.split
        self.made.append(Made(grade, text))


def _filled(sentence: str, thing: Thing, relation: Relation, named: bool) -> str:
    exact, vague = thing.value(relation)
    called = thing.kind.long.format(e=thing.name) if named else thing.kind.noun
    return _capital(sentence.format(e=thing.name, x=called, v=exact, p=vague))


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _one(items: Sequence[T], *key: object) -> T:
    """Return one of the items, which depends on the key alone. A random generator could differ between versions."""
    return items[int(share("toy", *key) * len(items))]


def _often(rate: float, *key: object) -> bool:
    return share("toy", *key) < rate


def _with_names(relations: list[Relation]) -> tuple[list[Relation], list[str]]:
    return relations, [relation.name for relation in relations]


def text() -> str:
    """Return the content of toy.jsonl."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows(world(WORLD)))


if __name__ == "__main__":
    TOY.write_text(text(), encoding="utf-8", newline="\n")
