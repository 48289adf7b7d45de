"""What the made pairs take from WordNet: transitive verbs, names with a common word, and nouns of one kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from tools.dictionary import INSTANCE, Synset, entries, read_dictionary, words_of
from tools.weights.pairs.draws import Lexicon, split_of

FILES = ("verb.exc", "index.sense")  # beside those of ``read_dictionary``
_SOMEBODY_SOMEBODY = ("+", "09")  # the frame of verbs that somebody does to somebody
_WORDS = 3  # the most words of a name
Tagged = frozenset[tuple[str, str]]  # offset and word of the senses that occur in the tagged texts of WordNet


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
