"""Features of a text for the classifier of abstentions: n-grams of words and the structure, hashed."""

from __future__ import annotations

import re
import unicodedata
import zlib
from bisect import bisect_left
from itertools import combinations, filterfalse
from pathlib import Path

SIZE = 1 << 15  # of the table of weights
READ = 240  # characters at the start of a text that are read
_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+|[.,;:!?。，、！？]")
_TOUCHING = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_QUOTE = re.compile(r"[\"“”«»„]")
_MOST = 80  # tokens
SHORT = 12  # characters of abstentions without a word of a class: "I'll pass"
_DOTS = dict.fromkeys(".,;:!?。，、！？", ".")
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


def features(text: str) -> list[str]:
    """Return the names of the features of a text, each of which is present or absent.

    The tokens are the first words, numbers and signs. Chinese and Japanese characters are tokens of their own. As this
    runs for each answer that is not right, it is one function, without generators.
    """
    cased: list[str] = []
    for token in _TOKEN.findall(unicodedata.normalize("NFKC", text[:READ]).replace("’", "'"))[:_MOST]:
        cased += token if _TOUCHING.search(token) else [token]
    cased = cased[:_MOST]
    listed = [*map(str.casefold, cased)]
    padded = ["^", *filterfalse(".,!".__contains__, listed), "$"]
    named = []
    for n in (1, 2, 3, 4):
        for i in range(len(padded) - n + 1):
            named.append(" ".join(padded[i : i + n]))
    ranks = ["^", *classes(listed), "$"]
    for n in (1, 2, 3, 4, 5):
        for i in range(len(ranks) - n + 1):
            named.append(f"classes {' '.join(ranks[i : i + n])}")
    present = sorted(set(ranks) - {"^", "$"})
    named.append(f"present {' '.join(present)}")
    named += map("both {0[0]} {0[1]}".format, combinations(present, 2))
    known = list(filter("x".__ne__, dict.fromkeys(ranks[1:-1])))  # in the order of the text
    named.append(f"sequence {' '.join(known)}")
    named += map("order {0[0]} {0[1]}".format, combinations(dict.fromkeys(ranks[1:-1]), 2))
    named += map("triple {0[0]} {0[1]} {0[2]}".format, combinations(known, 3))
    named.append(f"unknown {min(ranks.count('x'), 4)}")
    clauses = " ".join(map(_DOTS.get, listed, listed)).split(" . ")
    for clause in clauses[1:]:
        named.append(f"then {' '.join(clause.split()[:2])}")
    words, names, n_words, n_known, n_numbers, n_upper = [], 0, 0, 0, 0, 0
    before = "."
    for token, lower in zip(cased, listed, strict=True):
        n_words += lower[0].isalnum()
        n_known += lower[0].isalnum() and (_CLASSES.get(lower, "x") != "x" or lower.endswith("n't"))
        n_numbers += lower[0].isdigit()
        names += token[0].isupper() and token not in ("I", "AI") and before not in ".!?"
        if token[0].isalpha():
            words.append(token)
            n_upper += token[0].isupper()
        before = token
    is_title = len(words) > 1 and n_upper >= 0.75 * len(words) and words[1] != "I"
    return [
        *named,
        f"known {4 * n_known // max(n_words, 1)} {bisect_left(_LENGTHS, n_words)}",
        f"known {8 * n_known // max(n_words, 1)}",
        f"words {bisect_left(_LENGTHS, n_words)}",
        f"clauses {min(len(clauses), 4)}",
        f"title {is_title}",
        f"names {min(names, 4)}",
        f"numbers {min(n_numbers, 2)}",
        f"quote {_QUOTE.search(text[:READ]) is not None}",
        f"more {len(text) > READ}",
    ]


def hashed(text: str) -> list[int]:
    """Return the positions of the features of a text in the table, sorted, each once.

    >>> len(hashed("I don't know.")) == len(set(hashed("I don't know.")))
    True
    """
    sums = map(zlib.crc32, map(str.encode, features(text)))
    return sorted(set(map(SIZE.__rmod__, sums)))  # the rest of the division by the size
