"""What is made of the dictionary files of WordNet: pairs of words by their relation, of statements, and a lexicon.

The statements are about opposite states: antonyms without those of the minimal pairs. No form of a statement and no
couple of opposites is in two splits. A text alone says nothing about the label, because every state is true as often as
its opposite.
"""

from __future__ import annotations

from bisect import bisect
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from answersim.training.data.pairs import TrainingPair
from tools.dictionary import INSTANCE, Synset, entries, meant_words, opposites, read_dictionary, words_of
from tools.tables import table
from tools.weights.pairs.draws import Lexicon, capital, draw_one, draw_two, split_of


class Relation(NamedTuple):
    """A relation of two synsets: a row of ``sources/wordnet_relations.tsv``. Labels follow the ranks of annotators."""

    label: float  # the similarity of the pairs
    share: float  # the share of the pairs
    pointers: tuple[str, ...]  # the symbols in the files of WordNet that lead there, or half the way
    onward: str  # the symbol of the other half; "" for none
    of_names: bool  # whether pairs may start from the name of one person, place or thing


RELATIONS: Mapping[str, Relation] = {
    name: Relation(float(label), float(share), tuple(pointers.split()), onward, names == "yes")
    for name, label, share, pointers, onward, names in table(__file__, "wordnet_relations.tsv")
}
SINGLE = 0.4  # the share of pairs that start from such a name, if they may
STATEMENTS = table(__file__, "negation_pairs.json")
# The states and forms of the kind "negation" of the minimal pairs in English, which training pairs leave out.
MINIMAL = table(__file__, "negation_minimal_pairs.json")
ASKED = 0.3  # the share of pairs of statements with the question "Is it so?"
LEXICON_FILES = ("verb.exc", "index.sense")  # beside those of ``read_dictionary``
_SOMEBODY_SOMEBODY = ("+", "09")  # the frame of verbs that somebody does to somebody
_WORDS = 3  # the most words of a name
_TRIES = 2_000  # draws for one pair before the dictionary counts as lacking a relation

Tagged = frozenset[tuple[str, str]]  # offset and word of the senses that occur in the tagged texts of WordNet


def wordnet_pairs(
    dictionary: Mapping[str, Synset], size: int, split: str, *, rng: np.random.Generator
) -> list[TrainingPair]:
    """Draw this many pairs of this split, related and labeled as in ``RELATIONS``; some repeat.

    One of the words of a drawn synset is paired with a word of a synset that it is related to. Both synsets are of the
    split. A word with several meanings may be in both splits. Raise ValueError if a relation has no pairs.
    """
    draw = _Draw(dictionary, split, rng)
    kinds, ends = list(RELATIONS), list(accumulate(relation.share for relation in RELATIONS.values()))
    names = [kinds[bisect(ends, at, hi=len(ends) - 1)] for at in rng.random(size) * ends[-1]]
    return [TrainingPair(*draw.texts(name), RELATIONS[name].label, split, f"wordnet:{name}") for name in names]


class _Draw:
    """A generator of texts for the pairs of one split. Pairs of a relation start from its sources or names."""

    def __init__(self, dictionary: Mapping[str, Synset], split: str, rng: np.random.Generator) -> None:
        self.dictionary, self.rng = dictionary, rng
        self.members = {key: synset for key, synset in dictionary.items() if split_of(synset.key) == split}
        self.every = list(self.members.values())
        self.sources = {name: [synset for synset in self.every if self._may_start(synset, name)] for name in RELATIONS}
        single = {key for key, synset in self.members.items() if synset.pointed((INSTANCE,))}
        of_names = {name: sources for name, sources in self.sources.items() if RELATIONS[name].of_names}
        self.names = {name: [one for one in sources if one.key in single] for name, sources in of_names.items()}

    def _may_start(self, synset: Synset, name: str) -> bool:
        """Return whether a relation may start here. An only child later turns out to have no sibling."""
        relation = RELATIONS[name]
        if not relation.pointers:
            return synset.key[0] == "n" and (name != "synonym" or len(synset.words) > 1)
        return any(relation.onward or key in self.members for key in synset.pointed(relation.pointers))

    def texts(self, name: str) -> tuple[str, str]:
        """Return two different texts in this relation."""
        for _ in range(_TRIES if self.sources[name] else 0):
            names = self.names.get(name, []) if self.rng.random() < SINGLE else []
            pair = self._texts(draw_one(names or self.sources[name], self.rng), name)
            if pair and pair[0].casefold() != pair[1].casefold():
                return pair
        raise ValueError(f"no synsets of this split in the dictionary make a pair in the relation {name!r}")

    def _texts(self, synset: Synset, name: str) -> tuple[str, str] | None:
        """Return the texts of a pair that starts here, or None if the synset has none."""
        if name == "synonym":
            return draw_two(synset.words, self.rng)
        if name == "gloss":
            return draw_one(synset.words, self.rng), synset.gloss
        if name == "antonym":
            pointers = [pointer for pointer in synset.pointers if pointer[0] == "!" and pointer[1] in self.members]
            _symbol, key, meant = draw_one(pointers, self.rng)
            return meant_words(synset, self.members[key], meant)
        keys, onward = synset.pointed(RELATIONS[name].pointers), RELATIONS[name].onward
        if onward:  # synsets in between may be of the other split
            keys = [key for between in keys for key in self.dictionary[between].pointed((onward,))]
        others = [self.members[key] for key in keys if key in self.members and key != synset.key]
        if not (others := self.every if name == "random" else others):
            return None
        return draw_one(synset.words, self.rng), draw_one(draw_one(others, self.rng).words, self.rng)


def antonyms(dictionary: Mapping[str, Synset], split: str) -> list[tuple[str, str]]:
    """Return the adjectives of one word that are opposites, each couple once, without those of the minimal pairs.

    A tenth of the couples, by the SHA-256 of both words, is in the split "dev", the others in "train".
    """
    known = {word for _, *words in MINIMAL["states"] for word in words}
    couples = {
        (min(couple), max(couple))
        for part, *couple in opposites(dictionary)
        if part == "a" and all(word.isalpha() and word.islower() for word in couple) and not known.intersection(couple)
    }
    return [(first, second) for first, second in sorted(couples) if split_of(f"{first} {second}") == split]


def negation_pairs(
    dictionary: Mapping[str, Synset], size: int, split: str, *, rng: np.random.Generator
) -> list[TrainingPair]:
    """Draw this many pairs of statements of this split: half say the same (label 1), half the opposite (0)."""
    if not (couples := antonyms(dictionary, split)):
        raise ValueError(f"the dictionary has no opposite adjectives of the split {split!r}; read all files of WordNet")
    return [_statements(couples, split, rng) for _ in range(size)]


def _statements(couples: Sequence[tuple[str, str]], split: str, rng: np.random.Generator) -> TrainingPair:
    forms, subject, couple = STATEMENTS[split], draw_one(STATEMENTS["subjects"], rng), draw_one(couples, rng)
    label = float(rng.integers(2))
    a, b = couple if rng.integers(2) else couple[::-1]
    slots = {"s": subject, "S": capital(subject), "a": a, "b": b}
    if rng.random() < ASKED:
        sides = [forms["affirmed"], forms["denied"]][:: 1 if rng.integers(2) else -1]
        seconds, others = sides[0 if label else 1], slots
        kind, question = "asked", f"Is {subject} {a}?"
    else:
        sides, seconds, others = [forms["stated"]], forms["stated"], slots if label else slots | {"a": b, "b": a}
        kind, question = "stated", ""
    first = draw_one(sides[0], rng)
    second = draw_one([form for form in seconds if form != first], rng).format(**others)
    return TrainingPair(first.format(**slots), second, label, split, f"negation:{kind}", question)


@lru_cache(maxsize=1)
def read_lexicon(folder: Path) -> Lexicon:
    """Read the words from the files of WordNet in this folder. Raise FileNotFoundError if one is missing."""
    dictionary, verbs, names = read_dictionary(folder), dict[str, Any](), dict[str, Any]()
    tagged_nouns, tagged_verbs = (_tagged(folder, part) for part in ("1", "2"))
    for split in ("train", "dev"):
        groups = _verbs(folder, tagged_verbs)
        of_split = ([forms for verb, forms in group if split_of(verb) == split] for group in groups)
        verbs[split] = [*filter(None, of_split)]
        names[split] = [kept for word, kept in _names(dictionary).items() if split_of(word) == split]
    return Lexicon(verbs, names, _siblings(dictionary, tagged_nouns, frozenset(word for _, word in tagged_verbs)))


def past_forms(verb: str, irregular: Mapping[str, Sequence[str]]) -> tuple[str, str]:
    """Return the past and the participle of a verb.

    >>> past_forms("praise", {}), past_forms("take", {"take": ["took", "taken"]})
    (('praised', 'praised'), ('took', 'taken'))
    """
    forms = [form for form in irregular.get(verb, ()) if not form.endswith(("ing", "s"))]
    if participles := [form for form in forms if form.endswith("n")]:
        others = [form for form in forms if form not in participles]
        return (others or [verb])[0], participles[0]
    regular = verb[:-1] + "ied" if verb[-1] == "y" and verb[-2] not in "aeiou" else verb.removesuffix("e") + "ed"
    past = forms[0] if forms else regular
    return past, past


def _verbs(folder: Path, tagged: Tagged) -> list[list[tuple[str, tuple[str, str]]]]:
    """Return groups of synonyms, each a verb with its past and participle, of which one is in a tagged text."""
    irregular: dict[str, list[str]] = defaultdict(list)
    for form, *bases in entries(folder / "verb.exc"):
        for base in bases:
            irregular[base].append(form)
    groups = [fields for fields in entries(folder / "data.verb") if _SOMEBODY_SOMEBODY in pairwise(fields)]
    known = ([word for word in words_of(fields) if (fields[0], word) in tagged] for fields in groups)
    return [
        [(word, past_forms(word, irregular)) for word in words if word.isalpha() and word.islower()] for words in known
    ]


def _tagged(folder: Path, part: str) -> Tagged:
    """Return the senses of this part of speech that occur in the tagged texts."""
    rows = [row for row in entries(folder / "index.sense") if f"%{part}:" in row[0] and row[3] != "0"]
    return frozenset((offset, key.partition("%")[0]) for key, offset, *_ in rows)


def _names(dictionary: Mapping[str, Synset]) -> dict[str, list[list[str]]]:
    """Return groups of persons, places and things that share a word of their names, each with its names."""
    by_word: dict[str, list[list[str]]] = defaultdict(list)
    for synset in dictionary.values():
        if synset.pointed((INSTANCE,)):
            names = [name for name in synset.words if len(name.split()) <= _WORDS]
            for word in {word for name in names for word in name.split() if len(name.split()) > 1 and len(word) > 3}:
                by_word[word].append(names)
    return {word: groups for word, groups in sorted(by_word.items()) if len(groups) > 1}


def _siblings(dictionary: Mapping[str, Synset], tagged: Tagged, verbs: frozenset[str]) -> dict[str, list[str]]:
    """Return other nouns below the hypernym of each noun of one word that is no verb, in its first tagged meaning."""
    kinds, of_word = defaultdict[str, list[str]](list), dict[str, str]()
    for key, synset in dictionary.items():
        nouns = [word for word in synset.words if word.isalpha() and word.islower() and word not in verbs]
        known = [word for word in nouns if (key[1:], word) in tagged]
        for above in synset.pointed(("@",)) if key[0] == "n" and known else ():
            kinds[above].append(known[0])
            of_word.setdefault(known[0], above)
    listed = ((word, [one for one in dict.fromkeys(kinds[above]) if one != word]) for word, above in of_word.items())
    return {word: others for word, others in listed if 1 < len(others) < 40}
