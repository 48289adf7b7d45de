"""Comparisons that typed values leave open, but a reward can decide: people, acronyms, bounds and lists of words.

A score is a mean over rows, so ``typed`` has no opinion in doubt. A policy repeats what is accepted, so that plain
contradictions have to be refused here.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from answersim.typed.person import read_person
from answersim.typed.person_name import FULL_NAMES, person_name, plain

_SAME = (  # words of one bound or of one value, which typed values know in the second form
    (re.compile(r"\b(?:no|not) (?:fewer|less) than\b", re.IGNORECASE), "at least"),
    (re.compile(r"\b(?:no|not) more than\b", re.IGNORECASE), "at most"),
    (re.compile(r"\bplus or minus\b", re.IGNORECASE), "±"),
    (re.compile(r"\bbefore Christ\b", re.IGNORECASE), "BC"),
)
_LOW = re.compile(r"(?i)(?:\bat least|\bover|\bmore than|\babove|\bexceeding|\ba minimum of|[>≥]=?)\s+(?=\d)")
_HIGH = re.compile(r"(?i)(?:\bat most|\bunder|\bless than|\bfewer than|\bbelow|\bup to|\ba maximum of|[<≤]=?)\s+(?=\d)")
_NUMBER = re.compile(r"\d[\d.,]*\d|\d")
_SMALL = frozenset("a an and de for in of on the to und von".split())
_BULLET = re.compile(r"(?:^|(?<=\s))(?:[-*•]|\d{1,2}[.)])\s+")
_ITEM = re.compile(r"(?i)\s*(?:[;\n|/+>]|(?<!\d),(?!\d)|\s&\s|\b(?:and|as well as|followed by|then|before)\b)\s*")
_FRAME = frozenset("it is that would be they are these the answer".split())
_RANKS = frozenset(
    "admiral captain chairman chancellor colonel commander count duke earl emperor general justice king "
    "lieutenant marshal minister pope prince princess queen saint secretary sergeant".split()
)
_ORDER = re.compile(r">|\b(?:then|followed by|before|first)\b", re.IGNORECASE)
_ASKS_ORDER = re.compile(
    r"\b(?:order|rank|sequence|first to last|from first|from the (?:larg|small|old|young)\w+ to)\b"
)
_MOST_WORDS = 3  # of an item
_LEAST_SHARED = 2  # items that two lists share, so that they are lists of one kind


class Comparison(NamedTuple):
    """Whether two answers are equal, and why."""

    equal: bool
    reason: str


def same_wording(text: str) -> str:
    """Return the text with one wording for bounds and signs.

    >>> same_wording("not less than 45 points"), same_wording("56 plus or minus 3")
    ('at least 45 points', '56 ± 3')
    """
    for pattern, words in _SAME:
        text = pattern.sub(words, text)
    return text


def compare(gold: str, given: str, question: str = "") -> Comparison | None:
    """Compare two final answers; None without an opinion.

    >>> compare("J. S. Bach", "Johann Christian Bach").equal, compare("Johann Sebastian Bach", "J. S. Bach").equal
    (False, True)
    >>> compare("NATO", "North Atlantic Treaty Organization").equal, compare("at least 5 m", "under 5 m").equal
    (True, False)
    >>> compare("zinc, copper and silver", "zinc, silver").equal, compare("zinc and silver", "silver / zinc").equal
    (False, True)
    """
    for rule in (_people, _acronyms, _bounds):
        if (found := rule(gold, given)) is not None:
            return found
    return _lists(gold, given, question)


def _people(gold: str, given: str) -> Comparison | None:
    """Compare names with the same last name. One of them shows that it is a name of a person, or is inverted."""
    if read_person(gold) is None and read_person(given) is None and ("," in gold) == ("," in given):
        return None
    one, other = person_name(gold), person_name(given)
    if one is None or other is None or plain(one.last) != plain(other.last) or one.suffix != other.suffix:
        return None
    given_names = (re.split(r"[.\s]+", " ".join(name.given)) for name in (one, other))
    names = [[plain(part) for part in parts if part] for parts in given_names]
    if _RANKS & {*names[0], *names[1]}:
        return None
    pairs = list(zip(*names, strict=False))
    wrong = next(((a, b) for a, b in pairs if a[0] != b[0] and not _full(a) & _full(b)), None)
    if wrong is not None and not set(names[0]) & set(names[1]) - {name for name in names[0] if len(name) == 1}:
        return Comparison(False, f"the given name {wrong[1].title()} is not {wrong[0].title()}")
    fits = all(1 in (len(a), len(b)) or a == b for a, b in pairs)
    if fits and len(names[0]) == len(names[1]) > 1:
        return Comparison(True, "the last name is the same, and the initials fit")
    return None


def _full(word: str) -> set[str]:
    return {word, *(name.casefold() for name in FULL_NAMES.get(word, ()))}


def _acronyms(gold: str, given: str) -> Comparison | None:
    """Accept an acronym for the words whose initials it has, and these words for it."""
    for short, words in ((gold, given), (given, gold)):
        letters = short.replace(".", "").strip()
        if not (2 <= len(letters) <= 8 and letters.isalpha() and letters.isupper()):
            continue
        parts = re.findall(r"[^\W\d_]+", words)
        large = [part for part in parts if part not in _SMALL]
        initials = {"".join(part[0] for part in kept).upper() for kept in (parts, large)}
        if len(parts) > 1 and letters in initials:
            return Comparison(True, f"{letters} are the initials of the other answer")
    return None


def _bounds(gold: str, given: str) -> Comparison | None:
    """Refuse a lower bound for an upper one of the same number."""
    low, high = ([bool(pattern.search(text)) for text in (gold, given)] for pattern in (_LOW, _HIGH))
    if [*low, *high] not in ([True, False, False, True], [False, True, True, False]):
        return None
    same = _NUMBER.findall(gold) == _NUMBER.findall(given)
    return Comparison(False, "one is a lower bound, and the other an upper bound") if same else None


def _lists(gold: str, given: str, question: str) -> Comparison | None:
    """Compare lists of short items. They differ if items are only missing or only added, or if an order matters."""
    one, other = _items(gold), _items(given)
    if one is None or other is None:
        return None
    shared = set(one) & set(other)
    if len(shared) == len(set(one)) == len(set(other)) == len(one) == len(other):
        ordered = bool(_ORDER.search(gold) or _ORDER.search(given) or _ASKS_ORDER.search(question.casefold()))
        if one == other or not ordered:
            return Comparison(True, "the lists have the same items")
        return Comparison(False, "the items have another order")
    missing, extra = len(set(one) - shared), len(set(other) - shared)
    if len(shared) >= _LEAST_SHARED and 0 in (missing, extra):
        return Comparison(False, f"{missing} items of the gold answer are missing, and {extra} are added")
    return None


def _items(text: str) -> list[str] | None:
    """Return the items of a list in lower case; None for one item, or for one with many words."""
    split = (item.strip(" .,*_").casefold() for item in _ITEM.split(_BULLET.sub(";", text)))
    items = [item for each in split if (item := re.sub(r"^(?:first|then|the|a|an)\s+", "", each))]
    if items and _FRAME.issuperset(items[0].split()):
        items = items[1:]
    if len(items) < 2 or any(len(item.split()) > _MOST_WORDS or not item[0].isalpha() for item in items):
        return None
    return items
