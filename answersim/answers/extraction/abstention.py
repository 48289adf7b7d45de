"""Does a text attempt an answer? A small classifier recognizes refusals and "I do not know" in ten languages."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from functools import lru_cache
from itertools import combinations, filterfalse
from typing import NamedTuple

import numpy as np

from answersim._base.arguments import text as checked_text
from answersim.answers.extraction.choice import letters
from answersim.answers.extraction.frames import innermost
from answersim.answers.extraction.linear import margin, positions
from answersim.answers.extraction.reasoning import begins_tag, without_reasoning
from answersim.answers.text.patterns import Patterns, table

REVISION = 9  # of the classifier; raise it when a text is read otherwise
_P = Patterns("abstention")
_READ = 240  # characters at the start of a text that are read
_BRIEF = 80  # characters of an answer with a hedge behind it
_SHORT = 12  # characters of abstentions without a word of a class: "I'll pass"
_MOST = 80  # tokens
_FEW = 4  # words of a text that is either a refusal or none; Chinese and Japanese words are short
_SURE = 1.6  # the margin of a longer refusal beyond doubt
_DOTS = dict.fromkeys(".,;:!?。，、！？", ".")
_PAIR, _TRIPLE, _QUADRUPLE = "{} {}".format, "{} {} {}".format, "{} {} {} {}".format
# What a clause has by the classes of its words: the bits of its kind. A clause ends at a sign, and before "but"
_BITS = {"not": 1, "text": 2, "info": 2, "say": 4, "know": 4, "guess": 8, "mean": 16, "you": 16, "which": 64}
_NAMED = 32  # a clause with a number, or a capital letter inside
_PLAIN = {"grammar": "grammar", "you": "grammar", "which": "x"}  # usual words, which alone make no abstention
_LENGTHS = (1, 2, 3, 4, 6, 8, 11, 15, 20, 30, 50)
_CLASSES = reversed(table("extraction/abstention_words.tsv"))
CLASSES = {word: name for name, words in _CLASSES for word in words.split()}  # "not", "know", "info" ... by known word


def attempted(text: str) -> bool:
    """Return whether a text attempts an answer: it is not empty, no refusal, and not "I don't know".

    A hedge that an answer follows is an attempt, and so is the letter of an option. Names such as "Unknown Pleasures"
    and answers such as "No" or "None of them" are attempts. Reasoning is removed first, so that reasoning without an
    answer is none. The text may be in English, German, French, Spanish, Italian, Portuguese, Dutch, Russian, Chinese or
    Japanese. The classifier was trained on texts made from templates, and on right answers
    (``tools.weights.abstentions``).

    Args:
        text: The prediction.

    Raises:
        TypeError: If it is not a string.

    >>> texts = "I don't know.", "Unknown Pleasures", "Das weiß ich nicht."
    >>> tuple(attempted(text) for text in texts)
    (False, True, False)
    >>> attempted("I'm not sure, but I think Rome")
    True
    """
    return _margin_of(text if type(text) is str else checked_text("text", text)) <= 0


def surely_refuses(text: str, few: int = _FEW) -> bool:
    """Return whether a text surely refuses, or is empty. A title, and more than ``few`` words, need a margin."""
    refused = _margin_of(text)
    if 0 < refused <= _SURE:
        structure = _words_and_structure(text)[1]
        return structure.n_words <= few and (text.isupper() or not structure.is_title)
    return refused > 0


def _margin_of(text: str) -> float:
    return _margin(text) if len(text) <= _READ else _margin.__wrapped__(text)


@lru_cache(maxsize=1 << 10)  # of the answers that are compared now, whose rules ask several times
def _margin(text: str) -> float:
    """Return how far a text is a refusal: above 0 if it is one."""
    left = without_reasoning(text)[1] if begins_tag(text) else text
    left = _P.markup.sub(" ", left) if "<" in left else left
    plain = _P.command.sub(" ", left) if "\\" in left else left
    plain = " ".join(_P.marks.sub(" ", plain).split()).strip(" -–—\"'“”„")
    if not _P.letter.search(plain):
        return -np.inf if _P.symbol.search(left) else np.inf
    if _P.without_words.match(plain):
        return -np.inf
    if len(plain) >= _SHORT and plain.isascii():  # a text of this length without a word of abstentions is none
        for token in _P.token.findall(plain[:_READ].casefold()):
            if token == "?" or token.endswith("n't") or CLASSES.get(token, "grammar") not in _PLAIN:
                break
        else:
            return -np.inf
    lead = _P.lead.match(plain)
    refused = margin("abstention", hashed(plain if lead is None or lead.end() == len(plain) else plain[lead.end() :]))
    is_answer = refused > 0 and (letters(left) or _is_hedged(plain))  # "I don't know, I guess B"
    return -np.inf if is_answer else refused


def _is_hedged(text: str) -> bool:
    """Return whether a short text is an answer without a word of abstentions, a comma, and a frame: "Rome, I guess"."""
    cores = set(innermost(text).values()) if len(text) <= _BRIEF else set[str]()
    answers = (core for core in cores - {""} if text.startswith(f"{core},"))
    return any(classes(_P.token.findall(core.casefold())) == ["x"] and attempted(core) for core in answers)


def classes(listed: list[str]) -> list[str]:
    """Return the classes of words in order: "not", "know", "info" ...; "x" for one or more other words."""
    named: list[str] = []
    for token in listed:
        if token in _DOTS:
            continue
        name = "not" if token.endswith("n't") else CLASSES.get(token, "x")
        name = _PLAIN.get(name, name)
        if token.endswith("n't") and token[:2] in ("ca", "co", "wo"):
            named.append("can")
        if name != "grammar" and (name != "x" or named[-1:] != ["x"]):
            named.append(name)
    return named


class Structure(NamedTuple):
    """What is counted in a text: all that the features of its structure depend on. Most short texts share a few."""

    ranks: tuple[str, ...]  # the classes in order, between "^" and "$"
    n_words: int
    n_known: int  # words of a class
    clauses: tuple[int, ...]  # the kinds of the clauses: sums of ``_BITS``
    n_names: int  # capital letters inside clauses
    n_numbers: int
    is_title: bool  # most words begin with a capital letter
    is_quoted: bool
    is_longer: bool  # than what is read
    is_asked: bool  # the text ends with a question mark


def _words_and_structure(text: str) -> tuple[list[str], Structure]:
    """Return the names of the features of the first tokens, and the structure; one function, because it runs often."""
    start = text[:_READ]
    if start.isascii():
        cased = _P.token.findall(start)[:_MOST]
    else:
        cased = []
        for token in _P.token.findall(unicodedata.normalize("NFKC", start).replace("’", "'"))[:_MOST]:
            cased += token if _P.touching.search(token) else [token]
        cased = cased[:_MOST]
    listed = [*map(str.casefold, cased)]
    padded = ["^", *filterfalse(".,!".__contains__, listed), "$"]
    seconds, thirds = padded[1:], padded[2:]
    named = [*padded, *map(_PAIR, padded, seconds), *map(_TRIPLE, padded, seconds, thirds)]
    named += map(_QUADRUPLE, padded, seconds, thirds, padded[3:])
    clauses = " ".join(map(_DOTS.get, listed, listed)).split(" . ")
    for clause in clauses[1:]:
        named.append(f"then {' '.join(clause.split()[:2])}")
    words, kinds, kind, n_names, n_words, n_known, n_numbers, n_upper = [], [], 0, 0, 0, 0, 0, 0
    before = "."
    for token, lower in zip(cased, listed, strict=True):
        if lower not in _DOTS:
            first = token[0]
            n_words += 1
            name = "not" if lower.endswith("n't") else CLASSES.get(lower, "x")
            n_known += name != "x"
            if name == "but" and before not in _DOTS:
                kinds.append(kind)
                kind = 0
            kind |= _BITS.get(name, 0)
            if first.isdigit():
                n_numbers += 1
                kind |= _NAMED
            elif first.isupper() and token not in ("I", "AI") and before not in ".!?":
                n_names += 1
                kind |= _NAMED
            if first.isalpha():
                words.append(token)
                n_upper += first.isupper()
        elif before not in _DOTS and (token != "." or len(before) > 1):  # the stop of an initial ends no clause
            kinds.append(kind)
            kind = 0
        before = token
    if before not in _DOTS:
        kinds.append(kind)
    is_title = len(words) > 1 and n_upper >= 0.75 * len(words) and words[1] != "I"
    ranks = ("^", *classes(listed), "$")
    is_quoted, is_longer = _P.quote.search(start) is not None, len(text) > _READ
    counts = n_words, n_known, tuple(kinds), n_names, n_numbers
    return named, Structure(ranks, *counts, is_title, is_quoted, is_longer, listed[-1:] == ["?"])


def _of_structure(structure: Structure) -> list[str]:
    """Return the features of the order and of the sets of classes, and of what is counted."""
    ranks, n_words, n_known, clauses, n_names, n_numbers, is_title, is_quoted, is_longer, is_asked = structure
    named = [f"classes {' '.join(ranks[i : i + n])}" for n in (1, 2, 3, 4, 5) for i in range(len(ranks) - n + 1)]
    present = sorted(set(ranks) - {"^", "$"})
    named.append(f"present {' '.join(present)}")
    named += map("both {0[0]} {0[1]}".format, combinations(present, 2))
    known = list(filter("x".__ne__, dict.fromkeys(ranks[1:-1])))  # in the order of the text
    named.append(f"sequence {' '.join(known)}")
    named += map("order {0[0]} {0[1]}".format, combinations(dict.fromkeys(ranks[1:-1]), 2))
    named += map("triple {0[0]} {0[1]} {0[2]}".format, combinations(known, 3))
    named += _of_clauses(clauses)
    if is_asked and clauses:
        named += map("asks {}".format, present)
        named += (f"asks {clauses[-1]}", f"asks {clauses[-1] & 80} {min(len(clauses), 3)}")
    return [
        *named,
        f"unknown {min(ranks.count('x'), 4)}",
        f"known {4 * n_known // max(n_words, 1)} {bisect_left(_LENGTHS, n_words)}",
        f"known {8 * n_known // max(n_words, 1)}",
        f"words {bisect_left(_LENGTHS, n_words)}",
        f"clauses {min(len(clauses), 4)}",
        f"title {is_title}",
        f"names {min(n_names, 4)}",
        f"numbers {min(n_numbers, 2)}",
        f"quote {is_quoted}",
        f"more {is_longer}",
    ]


def _of_clauses(clauses: tuple[int, ...]) -> list[str]:
    """Return the features of the kinds of clauses: what the first, the last and both deny, know, and name."""
    if not clauses:
        return []
    first, last, rough = clauses[0], clauses[-1], [kind & 1 | (kind & 6 and 2) for kind in clauses]
    return [
        f"first {first & 47}",
        f"last {last & 47}",
        f"denied {min(sum(kind & 1 for kind in clauses), 2)} {first & 1} {last & 1}",
        f"kinds {' '.join(map(str, rough[:4]))}",
        f"ends {rough[0]} {rough[-1]} {last & _NAMED} {len(clauses) > 1}",
    ]


def hashed(text: str) -> list[int]:
    """Return the positions of the features of a text in the table, sorted, each once."""
    named, structure = _words_and_structure(text)
    return sorted(_positions_of_structure(structure).union(positions(named)))


@lru_cache(maxsize=4096)
def _positions_of_structure(structure: Structure) -> frozenset[int]:
    return frozenset(positions(_of_structure(structure)))
