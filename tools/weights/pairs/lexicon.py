"""What the made pairs take from WordNet: transitive verbs, names with a common word, and nouns of one kind."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from tools.weights.pairs.draws import split_of
from tools.weights.pairs.wordnet_pairs import Synset, read_dictionary

FILES = ("verb.exc", "index.sense")  # beside those of ``read_dictionary``
_SOMEBODY_SOMEBODY = re.compile(r"\+ 09 \d\d(?= )")  # the frame of verbs that somebody does to somebody
_WORDS = 3  # the most words of a name


class Lexicon(NamedTuple):
    """Words of WordNet, by split where they are held out."""

    verbs: Mapping[str, Sequence[Sequence[tuple[str, str]]]]  # of a split: synonyms, each as past and participle
    names: Mapping[
        str, Sequence[Sequence[Sequence[str]]]
    ]  # of a split: entities that share a word, each with its names
    siblings: Mapping[str, Sequence[str]]  # of a noun: other nouns of the same kind


@lru_cache(maxsize=1)
def read_lexicon(folder: Path) -> Lexicon:
    """Read the words from the files of WordNet in this folder. Raise FileNotFoundError if one is missing."""
    dictionary = read_dictionary(folder)
    splits = ("train", "dev")
    verbs = _verbs(folder)
    names = _names(dictionary)
    return Lexicon(
        {split: [kept for group in verbs if (kept := _of(split, group))] for split in splits},
        {split: [kept for word, kept in names.items() if split_of(word) == split] for split in splits},
        _siblings(dictionary, _tagged(folder, "1"), frozenset(word for _, word in _tagged(folder, "2"))),
    )


def past_forms(verb: str, irregular: Mapping[str, Sequence[str]]) -> tuple[str, str]:
    """Return the past and the participle of a verb.

    >>> past_forms("praise", {}), past_forms("take", {"take": ["took", "taken"]})
    (('praised', 'praised'), ('took', 'taken'))
    """
    forms = [form for form in irregular.get(verb, ()) if not form.endswith(("ing", "s"))]
    participles = [form for form in forms if form.endswith("n")]
    if participles:
        others = [form for form in forms if form not in participles]
        return (others or [verb])[0], participles[0]
    if forms:
        return forms[0], forms[0]
    if verb.endswith("e"):
        return verb + "d", verb + "d"
    ending = verb[:-1] + "ied" if verb[-1] == "y" and verb[-2] not in "aeiou" else verb + "ed"
    return ending, ending


def _verbs(folder: Path) -> list[list[tuple[str, tuple[str, str]]]]:
    """Return groups of synonyms, each a verb with its past and participle, of which one is in a tagged text."""
    irregular: dict[str, list[str]] = defaultdict(list)
    for line in (folder / "verb.exc").read_text("utf-8").splitlines():
        form, *bases = line.split()
        for base in bases:
            irregular[base].append(form)
    tagged = _tagged(folder, "2")
    groups = []
    for line in (folder / "data.verb").read_text("utf-8").splitlines():
        data, _, _ = line.partition("| ")
        fields = data.split()
        if line.startswith("  ") or not _SOMEBODY_SOMEBODY.search(data):
            continue
        words = fields[4 : 4 + 2 * int(fields[3], 16) : 2]
        known = [word for word in words if (fields[0], word) in tagged and word.isalpha() and word.islower()]
        groups.append([(word, past_forms(word, irregular)) for word in known])
    return [group for group in groups if group]


def _of(split: str, group: Iterable[tuple[str, tuple[str, str]]]) -> list[tuple[str, str]]:
    return [forms for verb, forms in group if split_of(verb) == split]


def _tagged(folder: Path, part: str) -> frozenset[tuple[str, str]]:
    """Return offset and word of the senses of this part that occur in the tagged texts of WordNet."""
    rows = (line.split() for line in (folder / "index.sense").read_text("utf-8").splitlines())
    return frozenset(
        (offset, key.partition("%")[0]) for key, offset, _, count in rows if f"%{part}:" in key and count != "0"
    )


def _names(dictionary: Mapping[str, Synset]) -> dict[str, list[list[str]]]:
    """Return groups of persons, places and things that share a word of their names, each with its names."""
    by_word: dict[str, list[list[str]]] = defaultdict(list)
    for synset in dictionary.values():
        if any(symbol == "@i" for symbol, _, _ in synset.pointers):
            names = [name for name in synset.words if len(name.split()) <= _WORDS]
            for word in {word for name in names for word in name.split() if len(name.split()) > 1 and len(word) > 3}:
                by_word[word].append(names)
    return {word: groups for word, groups in sorted(by_word.items()) if len(groups) > 1}


def _siblings(
    dictionary: Mapping[str, Synset], tagged: frozenset[tuple[str, str]], verbs: frozenset[str]
) -> dict[str, list[str]]:
    """Return other nouns below the hypernym of each noun of one word that is no verb, in its first tagged meaning."""
    kinds: dict[str, list[str]] = defaultdict(list)
    of_word: dict[str, str] = {}
    for key, synset in dictionary.items():
        nouns = [word for word in synset.words if word.isalpha() and word.islower() and word not in verbs]
        known = [word for word in nouns if (key[1:], word) in tagged]
        for symbol, above, _ in synset.pointers if key[0] == "n" else ():
            if symbol == "@" and known:
                kinds[above].append(known[0])
                of_word.setdefault(known[0], above)
    return {
        word: others
        for word, above in of_word.items()
        if 1 < len(others := [other for other in dict.fromkeys(kinds[above]) if other != word]) < 40
    }
