"""Pairs of words and terms from the dictionary files of WordNet, labeled by their relation in the dictionary."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import numpy as np

from answersim.training.data.pairs import TrainingPair
from tools.weights.pairs.draws import draw_one, split_of

PARTS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
_MARKER = re.compile(r"\((?:a|p|ip)\)$")  # where an adjective may be used; not part of its name

# The similarity of each relation, and its share of the pairs; the labels follow the order in which
# annotators rank them: synonyms first, then kinds, then other kinds of the same hypernym.
LABELS = {
    "synonym": 1.0,
    "gloss": 0.85,
    "hypernym": 0.6,
    "similar": 0.6,
    "grandparent": 0.45,
    "sibling": 0.35,
    "class": 0.35,
    "part": 0.35,
    "instance sibling": 0.25,
    "antonym": 0.1,
    "random": 0.0,
}
SHARES = {
    "synonym": 0.35,
    "gloss": 0.08,
    "hypernym": 0.12,
    "similar": 0.03,
    "grandparent": 0.06,
    "sibling": 0.12,
    "class": 0.04,
    "part": 0.06,
    "instance sibling": 0.05,
    "antonym": 0.02,
    "random": 0.07,
}
_POINTERS = {  # the symbols in the files of WordNet that lead there, or half the way
    "hypernym": ("@",),
    "similar": ("&",),
    "grandparent": ("@",),
    "sibling": ("@",),
    "class": ("@i",),
    "part": ("#p", "%p", "#m", "#s"),
    "instance sibling": ("@i",),
    "antonym": ("!",),
}
_ONWARD = {"grandparent": "@", "sibling": "~", "instance sibling": "~i"}  # and those of the other half
_TRIES = 2_000  # draws for one pair before the dictionary counts as lacking a relation
SINGLE = 0.4  # the share of pairs that start from the name of one person, place or thing ...
_OF_NAMES = ("synonym", "gloss", "part", "random")  # ... in these relations; in some others only five names stand


class Synset(NamedTuple):
    """A meaning: the words for it, its pointers to others (symbol, key, words meant), and its definition."""

    key: str
    words: tuple[str, ...]
    pointers: tuple[tuple[str, str, str], ...]
    gloss: str


def read_dictionary(folder: Path) -> dict[str, Synset]:
    """Read every synset of the files data.noun, data.verb, data.adj and data.adv in this folder, by its key.

    Raise FileNotFoundError if one of the files is missing. Raise ValueError if a line is not in the format of WordNet,
    or points to a missing synset.

    Source: the manual page wndb(5WN) of WordNet 3.0.
    """
    synsets: dict[str, Synset] = {}
    for name, part in PARTS.items():
        path = folder / f"data.{name}"
        if not path.is_file():
            raise FileNotFoundError(
                f"no dictionary file {path}; install the Debian package wordnet-base, which contains it"
            )
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                if not line.startswith("  "):  # the license at the head of the file
                    synset = _synset(part, line, f"{path}, line {number}")
                    synsets[synset.key] = synset
    lost = next((key for synset in synsets.values() for _, key, _ in synset.pointers if key not in synsets), None)
    if lost or not synsets:
        flaw = f"point to a synset {lost} that is not there" if lost else "contain no synsets"
        raise ValueError(f"the files in {folder} {flaw}; they must be complete, and of one version of WordNet")
    return synsets


def wordnet_pairs(
    dictionary: Mapping[str, Synset], size: int, split: str, *, rng: np.random.Generator
) -> list[TrainingPair]:
    """Draw this many pairs of this split, related in the shares of ``SHARES``, labeled by ``LABELS``; some repeat.

    A synset is drawn (for some relations, two of five are names of single persons, places and things), and one of its
    words is paired with a word of a synset that it is related to; if there is none (an only child has no sibling),
    another synset is drawn. A tenth of the synsets, by the SHA-256 of their key, is in the split "dev", the others in
    "train", and both synsets of a pair are in its split. A word with several meanings may still be in both. Raise
    ValueError if no synsets of this split are in a relation with a share.
    """
    draw = _Draw.of(dictionary, split, rng)
    kinds, ends = list(SHARES), list(accumulate(SHARES.values()))
    relations = [kinds[bisect(ends, at, hi=len(ends) - 1)] for at in rng.random(size) * ends[-1]]
    return [
        TrainingPair(*draw.texts(relation), LABELS[relation], split, f"wordnet:{relation}") for relation in relations
    ]


def opposites(dictionary: Mapping[str, Synset]) -> Iterator[tuple[str, str, str]]:
    """Yield two words that a pointer marks as opposites, after the letter of their part of speech."""
    for key, synset in dictionary.items():
        for symbol, other, meant in synset.pointers:
            if symbol in _POINTERS["antonym"]:
                yield key[0], *_meant(synset, dictionary[other], meant)


def _meant(source: Synset, target: Synset, meant: str) -> tuple[str, str]:
    """Return the words that a pointer joins: their numbers are hexadecimal. 0 means all, and the first one is taken."""
    one, other = (max(int(part, 16) - 1, 0) for part in (meant[:2], meant[2:]))
    return source.words[one], target.words[other]


def _synset(part: str, line: str, where: str) -> Synset:
    data, _, gloss = line.partition(" | ")
    fields = data.split()
    try:
        count = int(fields[3], 16)
        words = tuple(_MARKER.sub("", word).replace("_", " ") for word in fields[4 : 4 + 2 * count : 2])
        at = 4 + 2 * count
        starts = range(at + 1, at + 1 + 4 * int(fields[at]), 4)
        pointers = tuple((fields[i], fields[i + 2] + fields[i + 1], fields[i + 3]) for i in starts)
    except (IndexError, ValueError) as error:
        raise ValueError(f"{where}: not a line of the data files of WordNet ({error})") from error
    return Synset(part + fields[0], words, pointers, gloss.split('; "')[0].strip())


@dataclass(frozen=True)
class _Draw:
    """A generator of texts for the pairs of one split. Pairs of a relation start from its sources or names."""

    dictionary: Mapping[str, Synset]
    members: Mapping[str, Synset]  # those of the split
    every: Sequence[Synset]  # the same
    sources: Mapping[str, Sequence[Synset]]
    names: Mapping[str, Sequence[Synset]]  # those of the sources that are single persons, places and things
    rng: np.random.Generator

    @classmethod
    def of(cls, dictionary: Mapping[str, Synset], split: str, rng: np.random.Generator) -> _Draw:
        members = {key: synset for key, synset in dictionary.items() if split_of(synset.key) == split}
        sources: dict[str, list[Synset]] = {relation: [] for relation in SHARES}
        names: dict[str, list[Synset]] = {relation: [] for relation in SHARES}
        for synset in members.values():
            single = bool(_pointed(synset, ("@i",)))  # an instance, no class
            for relation in _relations(synset, members):
                sources[relation].append(synset)
                if single and relation in _OF_NAMES:
                    names[relation].append(synset)
        return cls(dictionary, members, list(members.values()), sources, names, rng)

    def texts(self, relation: str) -> tuple[str, str]:
        """Return two different texts in this relation."""
        for _ in range(_TRIES if self.sources[relation] else 0):
            names = self.names[relation] if self.rng.random() < SINGLE else []
            pair = self._texts(draw_one(names or self.sources[relation], self.rng), relation)
            if pair and pair[0].casefold() != pair[1].casefold():
                return pair
        raise ValueError(f"no synsets of this split in the dictionary make a pair in the relation {relation!r}")

    def _texts(self, synset: Synset, relation: str) -> tuple[str, str] | None:
        """Return the texts of a pair that starts here, or None if the synset has none."""
        if relation == "synonym":
            first, second = self.rng.choice(len(synset.words), 2, replace=False)
            return synset.words[first], synset.words[second]
        if relation == "gloss":
            return draw_one(synset.words, self.rng), synset.gloss
        if relation == "antonym":
            return self._opposites(synset)
        others = self.every if relation == "random" else self._related(synset, relation)
        return (
            (draw_one(synset.words, self.rng), draw_one(draw_one(others, self.rng).words, self.rng)) if others else None
        )

    def _opposites(self, synset: Synset) -> tuple[str, str]:
        pointers = [
            pointer for pointer in synset.pointers if pointer[0] in _POINTERS["antonym"] and pointer[1] in self.members
        ]
        _symbol, key, meant = draw_one(pointers, self.rng)
        return _meant(synset, self.members[key], meant)

    def _related(self, synset: Synset, relation: str) -> list[Synset]:
        """Return the synsets of the split in this relation to it. Synsets in between may be of the other split."""
        keys = _pointed(synset, _POINTERS[relation])
        if onward := _ONWARD.get(relation):
            keys = [key for between in keys for key in _pointed(self.dictionary[between], (onward,))]
        return [self.members[key] for key in keys if key in self.members and key != synset.key]


def _relations(synset: Synset, members: Mapping[str, Synset]) -> list[str]:
    """Return the relations that may start here. An only child later turns out to have no sibling."""
    noun = synset.key[0] == "n"
    available = {"synonym": noun and len(synset.words) > 1, "gloss": noun, "random": noun}
    for symbol, key, _ in synset.pointers:
        for relation, symbols in _POINTERS.items():
            if symbol in symbols and (relation in _ONWARD or key in members):
                available[relation] = True
    return [relation for relation in SHARES if available.get(relation)]


def _pointed(synset: Synset, symbols: Sequence[str]) -> list[str]:
    """Return the keys of the synsets to which pointers with these symbols lead."""
    return [key for symbol, key, _ in synset.pointers if symbol in symbols]
