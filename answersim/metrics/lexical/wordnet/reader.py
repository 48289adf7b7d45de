"""Read the shipped table of WordNet 3.0: which words share a synset with a word, after NLTK's morphology."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

PARTS = ("noun", "verb", "adj", "adv")
TABLE = Path(__file__).with_name("wordnet30.txt")
LICENSE = TABLE.with_name("LICENSE.wordnet")

# The endings of inflected forms, by part of speech: MORPHOLOGICAL_SUBSTITUTIONS of NLTK.
_ENDINGS: dict[str, tuple[tuple[str, str], ...]] = {
    "noun": (
        ("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"),
        ("men", "man"), ("ies", "y"),
    ),
    "verb": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}  # fmt: skip


class _Part(NamedTuple):
    """One part of speech: all names in the synsets of each lowercase lemma, and the bases of each irregular form."""

    names: dict[str, str]
    bases: dict[str, str]
    endings: tuple[tuple[str, str], ...]


@lru_cache(maxsize=1 << 16)
def synonyms(word: str) -> frozenset[str]:
    """Return the lemma names of every synset of this word, or the empty set if WordNet does not have it.

    The word is lower-cased and looked up in all parts of speech, as it is and by its base forms (from the lists of
    irregular forms, else by the endings). Names keep their case ("Paris"). Collocations ("hot_dog") are left out of the
    result, but can be looked up. The word itself is a member only if WordNet lists it: ``synonyms("dogs")`` has "dog"
    and not "dogs".

    >>> sorted(synonyms("automobile"))
    ['auto', 'automobile', 'car', 'machine', 'motorcar']
    >>> synonyms("ran") > {"run", "operate"}, synonyms("xyzzy")
    (True, frozenset())

    Source: WordNet 3.0. The set is equal to the one that METEOR of NLTK 3.10 builds from ``wordnet.synsets(word)``.
    """
    form = word.lower()
    names = {
        name
        for word_class in _parts()
        for lemma in _lemmas(form, word_class)
        for name in word_class.names.get(lemma, "").split()
    }
    return frozenset(name for name in names if "_" not in name)


@lru_cache(maxsize=1)
def fingerprint() -> str:
    """Return the first 12 hexadecimal digits of the SHA-256 of the table, for signatures."""
    return hashlib.sha256(TABLE.read_bytes()).hexdigest()[:12]


def _lemmas(form: str, word_class: _Part) -> list[str]:
    """Return the form and its possible bases: ``_morphy`` of NLTK, unfiltered, as unknown bases have no effect."""
    irregular = word_class.bases.get(form)
    if irregular is not None:
        return [form, *irregular.split()]
    return [form, *(form[: -len(old)] + new for old, new in word_class.endings if form.endswith(old))]


@lru_cache(maxsize=1)
def _parts() -> tuple[_Part, ...]:
    """Read the table once, on first use."""
    _head, *sections = TABLE.read_bytes().decode("ascii").split("\n\n")
    titled = dict(section.rstrip("\n").split("\n", 1) for section in sections)
    return tuple(
        _Part(_by_lemma(titled[word_class]), _by_form(titled[f"{word_class}.exc"]), _ENDINGS[word_class])
        for word_class in PARTS
    )


def _by_lemma(synsets: str) -> dict[str, str]:
    names: dict[str, str] = {}
    for synset, lemmas in zip(synsets.split("\n"), synsets.lower().split("\n"), strict=True):
        for lemma in lemmas.split():
            before = names.get(lemma)
            names[lemma] = f"{before} {synset}" if before else synset
    return names


def _by_form(exceptions: str) -> dict[str, str]:
    return {form: bases for form, _, bases in (line.partition(" ") for line in exceptions.split("\n"))}
