"""Features of a text for the classifier of abstentions: n-grams of words and the structure, hashed."""

from __future__ import annotations

import re
import unicodedata
import zlib
from bisect import bisect_left
from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations, filterfalse
from pathlib import Path
from typing import NamedTuple

SIZE = 1 << 15  # of the table of weights
READ = 240  # characters at the start of a text that are read
_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+|[.,;:!?。，、！？]")
_TOUCHING = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_QUOTE = re.compile(r"[\"“”«»„]")
_MOST = 80  # tokens
SHORT = 12  # characters of abstentions without a word of a class: "I'll pass"
_DOTS = dict.fromkeys(".,;:!?。，、！？", ".")
_PAIR, _TRIPLE, _QUADRUPLE = "{} {}".format, "{} {} {}".format, "{} {} {} {}".format
_LENGTHS = (1, 2, 3, 4, 6, 8, 11, 15, 20, 30, 50)


def _read() -> dict[str, str]:
    _, *lines = Path(__file__).with_name("abstention_words.tsv").read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines)
    return {word: name for name, words in reversed(list(rows)) for word in words.split()}


_CLASSES = _read()


def word_classes() -> dict[str, str]:
    """Return the class of each known word."""
    return dict(_CLASSES)


def classes(listed: list[str]) -> list[str]:
    """Return the classes of words in order: "not", "know", "info" ...; "x" for one or more other words."""
    named: list[str] = []
    for token in listed:
        if token in ".,;:!?。，、！？":
            continue
        name = "not" if token.endswith("n't") else _CLASSES.get(token, "x")
        if token.endswith("n't") and token[:2] in ("ca", "co", "wo"):
            named.append("can")
        if name != "grammar" and (name != "x" or named[-1:] != ["x"]):
            named.append(name)
    return named


def has_known_words(text: str) -> bool:
    """Return whether a text in ASCII has a word of abstentions. A text of ``SHORT`` characters without one is none.

    >>> has_known_words("Abraham Lincoln"), has_known_words("No idea at all")
    (False, True)
    """
    for token in _TOKEN.findall(text[:READ].casefold()):
        if token == "?" or token.endswith("n't") or _CLASSES.get(token, "grammar") != "grammar":
            return True
    return False


class Structure(NamedTuple):
    """What is counted in a text: all that the features of its structure depend on. Most short texts share a few."""

    ranks: tuple[str, ...]  # the classes in order, between "^" and "$"
    n_words: int
    n_known: int  # words of a class
    n_clauses: int
    n_names: int  # capital letters inside clauses
    n_numbers: int
    is_title: bool  # most words begin with a capital letter
    is_quoted: bool
    is_longer: bool  # than what is read


def features(text: str) -> list[str]:
    """Return the names of the features of a text, each of which is present or absent.

    The tokens are the first words, numbers and signs. Chinese and Japanese characters are tokens of their own.
    """
    named, structure = _words_and_structure(text)
    return [*named, *_of_structure(structure)]


def _words_and_structure(text: str) -> tuple[list[str], Structure]:
    """Return the features of the words of a text, and its structure.

    As this runs for each answer that is not right, it is one function, without generators.
    """
    start = text[:READ]
    if start.isascii():
        cased = _TOKEN.findall(start)[:_MOST]
    else:
        cased = []
        for token in _TOKEN.findall(unicodedata.normalize("NFKC", start).replace("’", "'"))[:_MOST]:
            cased += token if _TOUCHING.search(token) else [token]
        cased = cased[:_MOST]
    listed = [*map(str.casefold, cased)]
    padded = ["^", *filterfalse(".,!".__contains__, listed), "$"]
    seconds, thirds = padded[1:], padded[2:]
    named = [*padded, *map(_PAIR, padded, seconds), *map(_TRIPLE, padded, seconds, thirds)]
    named += map(_QUADRUPLE, padded, seconds, thirds, padded[3:])
    clauses = " ".join(map(_DOTS.get, listed, listed)).split(" . ")
    for clause in clauses[1:]:
        named.append(f"then {' '.join(clause.split()[:2])}")
    words, n_names, n_words, n_known, n_numbers, n_upper = [], 0, 0, 0, 0, 0
    before = "."
    for token, lower in zip(cased, listed, strict=True):
        if lower not in _DOTS:
            first = token[0]
            n_words += 1
            n_known += _CLASSES.get(lower, "x") != "x" or lower.endswith("n't")
            n_numbers += first.isdigit()
            n_names += first.isupper() and token not in ("I", "AI") and before not in ".!?"
            if first.isalpha():
                words.append(token)
                n_upper += first.isupper()
        before = token
    is_title = len(words) > 1 and n_upper >= 0.75 * len(words) and words[1] != "I"
    ranks = ("^", *classes(listed), "$")
    is_quoted, is_longer = _QUOTE.search(start) is not None, len(text) > READ
    return named, Structure(ranks, n_words, n_known, len(clauses), n_names, n_numbers, is_title, is_quoted, is_longer)


def _of_structure(structure: Structure) -> list[str]:
    """Return the features of the order and of the sets of classes, and of what is counted."""
    ranks, n_words, n_known, n_clauses, n_names, n_numbers, is_title, is_quoted, is_longer = structure
    named = [f"classes {' '.join(ranks[i : i + n])}" for n in (1, 2, 3, 4, 5) for i in range(len(ranks) - n + 1)]
    present = sorted(set(ranks) - {"^", "$"})
    named.append(f"present {' '.join(present)}")
    named += map("both {0[0]} {0[1]}".format, combinations(present, 2))
    known = list(filter("x".__ne__, dict.fromkeys(ranks[1:-1])))  # in the order of the text
    named.append(f"sequence {' '.join(known)}")
    named += map("order {0[0]} {0[1]}".format, combinations(dict.fromkeys(ranks[1:-1]), 2))
    named += map("triple {0[0]} {0[1]} {0[2]}".format, combinations(known, 3))
    return [
        *named,
        f"unknown {min(ranks.count('x'), 4)}",
        f"known {4 * n_known // max(n_words, 1)} {bisect_left(_LENGTHS, n_words)}",
        f"known {8 * n_known // max(n_words, 1)}",
        f"words {bisect_left(_LENGTHS, n_words)}",
        f"clauses {min(n_clauses, 4)}",
        f"title {is_title}",
        f"names {min(n_names, 4)}",
        f"numbers {min(n_numbers, 2)}",
        f"quote {is_quoted}",
        f"more {is_longer}",
    ]


def hashed(text: str) -> list[int]:
    """Return the positions of the features of a text in the table, sorted, each once.

    >>> len(hashed("I don't know.")) == len(set(hashed("I don't know.")))
    True
    """
    named, structure = _words_and_structure(text)
    return sorted(_positions_of_structure(structure).union(_positions(named)))


@lru_cache(maxsize=4096)
def _positions_of_structure(structure: Structure) -> frozenset[int]:
    return frozenset(_positions(_of_structure(structure)))


def _positions(named: Iterable[str]) -> Iterable[int]:
    return map(SIZE.__rmod__, map(zlib.crc32, map(str.encode, named)))  # the rest of the division by the size
