"""Features of a text for the classifier of abstentions: n-grams of words and the structure, hashed."""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Iterator
from pathlib import Path

SIZE = 1 << 14  # of the table of weights
READ = 240  # characters at the start of a text that are read
_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+|[.,;:!?。，、！？]")
_TOUCHING = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_QUOTE = re.compile(r"[\"“”«»„]")
_MOST = 80  # tokens
_CLAUSE = frozenset(".,;:!?。，、！？")
_LENGTHS = (1, 2, 3, 4, 6, 8, 11, 15, 20, 30, 50)


def tokens(text: str) -> list[str]:
    """Return the first words, numbers and signs of a text. Chinese and Japanese characters are tokens of their own."""
    listed: list[str] = []
    for token in _TOKEN.findall(unicodedata.normalize("NFKC", text[:READ]).replace("’", "'"))[:_MOST]:
        listed += list(token) if _TOUCHING.search(token) else [token]
    return listed[:_MOST]


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


def features(text: str) -> Iterator[str]:
    """Yield the names of the features of a text, each of which is present or absent."""
    cased = tokens(text)
    listed = [token.casefold() for token in cased]
    padded = ["^", *(token for token in listed if token not in ".,!"), "$"]
    for n in (1, 2, 3, 4):
        for i in range(len(padded) - n + 1):
            yield " ".join(padded[i : i + n])
    ranks = ["^", *classes(listed), "$"]
    for n in (1, 2, 3, 4, 5):
        for i in range(len(ranks) - n + 1):
            yield f"classes {' '.join(ranks[i : i + n])}"
    present = sorted(set(ranks) - {"^", "$"})
    yield f"present {' '.join(present)}"
    for i, first in enumerate(present):
        yield from (f"both {first} {second}" for second in present[i + 1 :])
    clauses = " ".join("." if token in _CLAUSE else token for token in listed).split(" . ")
    for clause in clauses[1:]:
        yield f"then {' '.join(clause.split()[:2])}"
    n_words = sum(token[0].isalnum() for token in listed)
    yield f"words {sum(n_words > bound for bound in _LENGTHS)}"
    yield f"clauses {min(len(clauses), 4)}"
    names = sum(
        token[0].isupper() and token not in ("I", "AI") and i > 0 and cased[i - 1] not in ".!?"
        for i, token in enumerate(cased)
    )
    words = [token for token in cased if token[0].isalpha()]
    is_title = len(words) > 1 and sum(word[0].isupper() for word in words) >= 0.75 * len(words) and words[1] != "I"
    yield f"title {is_title}"
    yield f"names {min(names, 4)}"
    yield f"numbers {min(sum(token[0].isdigit() for token in listed), 2)}"
    yield f"quote {_QUOTE.search(text[:READ]) is not None}"
    yield f"more {len(text) > READ}"


def hashed(text: str) -> list[int]:
    """Return the positions of the features of a text in the table, sorted, each once.

    >>> len(hashed("I don't know.")) == len(set(hashed("I don't know.")))
    True
    """
    return sorted({zlib.crc32(name.encode()) % SIZE for name in features(text)})
