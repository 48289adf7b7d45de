"""Words with a meaning, as data, and the grammar of numbers in words: "nineteen eighty-four", "einundzwanzigste"."""

from __future__ import annotations

import csv
from fractions import Fraction
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from answersim.typed.tokens import Tokens

LANGUAGES = ("en", "de")
_FOLDER = Path(__file__).parent
_MOST_DECIMALS = 20
_AFTER_PART = frozenset(". , ; : ! ? ) \" ' of der des von".split())
_ENDINGS = ("", "r", "n", "s", "m")  # of German ordinals


class WordRow(NamedTuple):
    """One row of a table of words."""

    kind: str  # what the words are: "number", "month", "hedge before" ...
    language: str  # an ISO 639-1 code, or "*" for words that are read in each language
    meaning: str  # a number, a sign or a name; "" if the kind says all
    words: tuple[str, ...]  # the words in lower case; a phrase has spaces


@cache
def rows(name: str) -> tuple[WordRow, ...]:
    """Return the rows of a table: "words" or "names"."""
    with (_FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return tuple(WordRow(*row[:3], tuple(row[3].casefold().split("|"))) for row in list(csv.reader(file))[1:])


@cache
def meanings(kind: str, *languages: str, table: str = "words") -> dict[str, str]:
    """Return the words of a kind with their meaning, in these languages and in "*"."""
    return {
        word: row.meaning
        for row in rows(table)
        if row.kind == kind and row.language in ("*", *languages)
        for word in row.words
    }


def numbers(kind: str, *languages: str) -> dict[str, int]:
    """Return the words of a kind whose meaning is a whole number."""
    return {word: int(meaning) for word, meaning in meanings(kind, *languages).items()}


def listed(*kinds: str, table: str = "words") -> frozenset[str]:
    """Return all words of these kinds, in all languages."""
    return frozenset(word for row in rows(table) if row.kind in kinds for word in row.words)


NUMBERS, ORDINALS, GERMAN = numbers("number", "en"), numbers("ordinal", "en"), numbers("number", "de")
SCALES = {"en": numbers("scale", "en"), "de": numbers("scale", "de")}
GROUPS = numbers("group")  # a dozen, a score
_LARGE = {word: power for word, power in SCALES["en"].items() if len(word) > 3}
_NOUGHTS = numbers("nought")
_DIGITS = {"en": NUMBERS | _NOUGHTS, "de": GERMAN}
_PARTS = {"en": numbers("part", "en")}
_PARTS["de"] = _PARTS["en"] | numbers("part", "de")
_PLURAL_PARTS = frozenset(word for word in _PARTS["en"] if word.endswith("s"))
_POINTS = {"en": ("point",), "de": ("komma",)}
ARTICLES = frozenset(meanings("article", *LANGUAGES))
HALVES = ("half", "halb", "halbe", "halbes")
# Words after a number that multiply or divide it. A number before one of them is not the value that is meant.
MULTIPLIERS = listed("multiplier") | frozenset(_PARTS["en"])
NUMBER_WORDS = frozenset({*NUMBERS, *ORDINALS, *_PARTS["en"], *GROUPS, "hundred", "thousand"})


GERMAN |= {
    f"{stem}und{ten}": value + i
    for ten, value in list(GERMAN.items())
    if value >= 20
    for i, stem in enumerate("ein zwei drei vier fünf sechs sieben acht neun".split(), start=1)
}
_GERMAN_ORDINALS = {
    f"{stem}{ending}": value
    for stem, value in (
        *((f"{word}{'ste' if value >= 20 else 'te'}", value) for word, value in GERMAN.items() if value),
        *zip("erste zweite dritte siebte achte".split(), (1, 2, 3, 7, 8), strict=True),
    )
    for ending in _ENDINGS
}


class Spelled(NamedTuple):
    """A number that was read from words."""

    value: Fraction  # the number
    end: int  # the position after the last token
    ordinal: bool = False  # whether it is a place in an order
    step: Fraction = Fraction(1)  # the last place that is stated: .1 for "one point five"


def is_number_word(word: str, lang: str) -> bool:
    """Return whether a number in words can begin with this word, in lower case."""
    return word in NUMBER_WORDS or (
        lang == "de" and (word in _PARTS["de"] or _compound_part(word) is not None or german_word(word) is not None)
    )


def is_plural_number(word: str) -> bool:
    """Return whether the word is a plural such as "fives" and "sixes"."""
    return word.endswith("s") and (word[:-1] in NUMBERS or word[:-2] in NUMBERS)


def is_point(low: tuple[str, ...], i: int) -> bool:
    """Return whether "point five" or "point oh seven" begins at i."""
    return low[i] == "point" and i + 1 < len(low) and _DIGITS["en"].get(low[i + 1], 10) < 10


def spelled(tokens: Tokens, i: int, lang: str) -> Spelled | None:
    """Read a number in words that begins at token i. German also accepts English words.

    >>> from answersim.typed.tokens import tokens
    >>> spelled(tokens("nineteen eighty-four"), 0, "en").value
    Fraction(1984, 1)
    >>> spelled(tokens("einundzwanzigste"), 0, "de")
    Spelled(value=Fraction(21, 1), end=1, ordinal=True, step=Fraction(1, 1))
    """
    if lang == "de" and (result := _german(tokens, i)) is not None:
        return result
    return _english(tokens, i)


class _Words:
    """An English number that is read word by word.

    Attributes:
        total: The value of the scales that were read: 2,000 of "two thousand and nine".
        current: The value since the last scale; -1 if nothing was read yet.
        smallest: The power of ten of the last scale. Each further one must be smaller.
    """

    def __init__(self, current: int) -> None:
        self.total, self.current, self.smallest = 0, current, 18

    def take(self, word: str) -> bool:
        """Add a word, and return whether it belongs to the number."""
        if word in NUMBERS:
            merged = _merged(self.current, NUMBERS[word])
            self.current = self.current if merged is None else merged
            return merged is not None
        if self.current == -1 and (word == "hundred" or word in _LARGE):
            self.current = 1
        if word == "hundred" and 0 < self.current < 100:
            self.current *= 100
        elif word in _LARGE and self.current > 0 and _LARGE[word] < self.smallest:
            self.smallest = _LARGE[word]
            self.total, self.current = self.total + self.current * 10**self.smallest, 0
        elif word in GROUPS and 0 < self.current < 1000:
            self.current *= GROUPS[word]
        else:
            return False
        return True

    def end(self, word: str) -> int | None:
        """Return the value if the number ends with this ordinal, or None if the ordinal is not part of it."""
        value, rest = ORDINALS[word], self.current % 100
        if value >= 100:
            return self.total + max(self.current, 1) * value if self.current else None
        merged = None if self.current > 0 and 0 < rest < 20 else _merged(self.current, value)
        return None if merged is None else self.total + merged

    def joins(self, low: tuple[str, ...], i: int) -> bool:
        """Return whether "and", a comma or a hyphen at i joins two parts of one number."""
        following, before = low[i + 1], low[i - 1] if i else ""
        small = NUMBERS.get(following, ORDINALS.get(following))
        if low[i] == "-":
            if following in _LARGE or following == "hundred":
                return self.current > 0
            if not small or self.current <= 0:
                return False
            return self.current % 10 == 0 if small < 10 else self.current in (18, 19, 20)  # nineteen-eighty: a year
        if low[i] == ",":
            large = any(word in _LARGE or word in ("hundred", "hundredth") for word in low[i + 2 : i + 5])
            return before in _LARGE and small is not None and large
        return low[i] == "and" and small is not None and (before in _LARGE or before == "hundred")


def _merged(current: int, value: int) -> int | None:
    """Return the number after another word below 100, or None if the word begins another number."""
    rest = current % 100
    if current in (-1, 0):
        return value
    if (rest == 0 and current >= 100) or (0 < value < 10 and rest >= 20 and rest % 10 == 0):
        return current + value
    if 10 <= current <= 99 and 10 <= value <= 99 and (current >= 11 or value >= 20):
        return current * 100 + value  # nineteen eighty: a year
    return None


def _english(tokens: Tokens, i: int) -> Spelled | None:
    low, n = tokens.low, len(tokens.low)
    if low[i] in ("a", "an", "half", "one") and (result := _fraction_of(tokens, i, "en")):
        return result
    if n == 1 and low[0] in ("dozen", "dutzend"):
        return Spelled(Fraction(12), 1)
    if is_point(low, i):
        return _with_fraction(tokens, i, Fraction(0), "en")
    article = low[i] in ARTICLES and i + 1 < n and (low[i + 1] in GROUPS or low[i + 1] in (*_LARGE, "hundred"))
    number = _Words(1 if article else -1)
    i += article
    start = i
    while i < n:
        if low[i] in ORDINALS:
            value = number.end(low[i])
            if value is not None:
                return Spelled(Fraction(value), i + 1, True)
            break
        if low[i] in ("oh", "o") and 11 <= number.current <= 20 and i + 1 < n:
            at = i + 1 + (low[i + 1] == "-" and i + 2 < n)  # nineteen oh-six
            if not 0 < NUMBERS.get(low[at], 0) < 10:
                break
            return Spelled(Fraction(number.current * 100 + NUMBERS[low[at]]), at + 1)
        joined = low[i] in ("and", ",", "-") and i + 1 < n and number.joins(low, i)
        if not joined and not number.take(low[i]):
            break
        i += 1
    if i == start:
        return None
    i -= low[i - 1] in ("and", ",", "-")
    part = proper_fraction(tokens, i + 1, "en") if low[i : i + 1] == ("and",) else None
    scale = GROUPS.get(low[i - 1], 10 ** _LARGE.get(low[i - 1], 0))
    if part is not None and low[i - 1] == "hundred":
        return None  # a hundred and a half is 100.5 or 150
    if part is not None and scale > 1:  # a million and a half
        return Spelled(number.total + number.current + part[0] * scale, part[1], step=part[0] * scale / 1000)
    return _with_fraction(tokens, i, Fraction(number.total + number.current), "en")


def _fraction_of(tokens: Tokens, i: int, lang: str) -> Spelled | None:
    """Read "half", "a half", "one third", "one-fifth", "a quarter", "half a million", "half a dozen", "half-dozen"."""
    low, n = tokens.low, len(tokens.low)
    start = i
    i += low[i] in ARTICLES or low[i] == "one"
    hyphen = i > start and i + 1 < n and low[i] == "-"
    i += hyphen
    if i >= n or low[i] not in _PARTS[lang] or low[i] in _PLURAL_PARTS:
        return None
    word, value, i = low[i], Fraction(1, _PARTS[lang][low[i]]), i + 1
    if (whole := _scale_after(tokens, i, lang)) is not None:
        return Spelled(value * whole[0], whole[1])
    if word in ORDINALS and (i == start + 1 or not (hyphen or i == n or low[i] in _AFTER_PART)):
        return None  # "third" alone and "a third child" are ordinals
    if ORDINALS.get(word, 0) >= 100 and not hyphen:
        return None  # the hundredth
    return Spelled(value, i, step=value / 1000)


def _scale_after(tokens: Tokens, i: int, lang: str) -> tuple[int, int] | None:
    """Return the factor of "million", "a dozen", "of a million", "-dozen" at i, and the position after it."""
    low, n = tokens.low, len(tokens.low)
    at = i + (i < n and low[i] == "-")
    at += at < n and low[at] in ("of", "von")
    at += at < n and low[at] in ARTICLES
    if at >= n or (low[at] not in SCALES[lang] and low[at] not in GROUPS):
        return None
    return (GROUPS[low[at]] if low[at] in GROUPS else 10 ** SCALES[lang][low[at]]), at + 1


def proper_fraction(tokens: Tokens, i: int, lang: str) -> tuple[Fraction, int] | None:
    """Read a fraction below 1 at i, and return it with the position after it.

    >>> from answersim.typed.tokens import tokens
    >>> proper_fraction(tokens("two-thirds"), 0, "en"), proper_fraction(tokens("drei Viertel"), 0, "de")
    ((Fraction(2, 3), 3), (Fraction(3, 4), 2))
    """
    low, n, parts = tokens.low, len(tokens.low), _PARTS[lang]
    if i < n and low[i] in HALVES and low[i] in parts:
        return Fraction(1, 2), i + 1
    if i + 1 >= n:
        return None
    word = low[i]
    over = int(word) if word.isdecimal() and len(word) <= 2 else 1 if word in ARTICLES else NUMBERS.get(word, 0)
    over = over or (GERMAN.get(word, 0) if lang == "de" else 0)
    at = i + 1 + (low[i + 1] == "-" and i + 2 < n)
    under = parts.get(low[at], 0)
    if not 0 < over < under or (over > 1 and low[at] in ORDINALS):
        return None
    return Fraction(over, under), at + 1


def with_part(tokens: Tokens, i: int, value: Fraction, lang: str) -> tuple[Fraction, int] | None:
    """Return a whole number with the fraction after it ("and a half"), or as its numerator ("quarters")."""
    low, n = tokens.low, len(tokens.low)
    at = i + (low[i] == "-" and i + 1 < n)
    if low[at] in _PARTS[lang] and low[at] not in ORDINALS and low[at] not in (*HALVES, "quarter"):
        return (value / _PARTS[lang][low[at]], at + 1) if 0 < value < 100 else None
    if low[at] not in ("and", "und"):
        return None
    at += 1
    at += at < n and low[at] == "-"
    part = proper_fraction(tokens, at, lang) if at < n else None
    return None if part is None else (value + part[0], part[1])


def _with_fraction(tokens: Tokens, i: int, value: Fraction, lang: str) -> Spelled:
    """Read what may follow a whole number: "point five", "and a half", "thirds", "million"."""
    low, n, digits, step = tokens.low, len(tokens.low), _DIGITS[lang], Fraction(1)
    if i + 1 < n and low[i] in _POINTS[lang] and low[i + 1] in digits:
        i += 1
        while i < n and digits.get(low[i], 10) < 10 and step.denominator < 10**_MOST_DECIMALS:
            step /= 10
            value, i = value + digits[low[i]] * step, i + 1
    elif i < n and value.denominator == 1 and (mixed := with_part(tokens, i, value, lang)) is not None:
        value, i = mixed
        step = value / 1000
    if value.denominator > 1 and (whole := _scale_after(tokens, i, lang)) is not None:
        return Spelled(value * whole[0], whole[1], step=step * whole[0])
    if i < n and low[i] in SCALES[lang] and value and (value.denominator > 1 or value < 1000):
        return Spelled(value * 10 ** SCALES[lang][low[i]], i + 1, step=step * 10 ** SCALES[lang][low[i]])
    return Spelled(value, i, step=step)


@lru_cache(maxsize=4096)
def german_word(word: str) -> tuple[int, bool] | None:
    """Return the number that one German word means, below a million, and whether it is ordinal; None for other words.

    >>> german_word("neunzehnhundertvierundachtzig"), german_word("elfte"), german_word("haus")
    ((1984, False), (11, True), None)
    """
    if not word or len(word) > 100 or word.startswith("und"):
        return None
    head, mark, tail = word.partition("tausend")
    if not mark:
        return _german_tail(word)
    thousands, rest = _german_below(head, 1000) if head else 1, _german_tail(tail)
    return None if thousands is None or rest is None else (thousands * 1000 + rest[0], rest[1])


def _german_tail(word: str) -> tuple[int, bool] | None:
    """Return the number below 10,000 in one word without "tausend", and whether it is ordinal."""
    head, mark, tail = word.partition("hundert") if "hundert" in word else ("", "", word)
    hundreds = 0 if not mark else 1 if not head else _german_below(head, 100)
    if hundreds is None:
        return None
    if tail in ("", *(f"ste{ending}" for ending in _ENDINGS)):
        return hundreds * 100, tail != ""
    tail = tail.removeprefix("und") if tail not in GERMAN and tail not in _GERMAN_ORDINALS else tail
    if tail in GERMAN:
        return hundreds * 100 + GERMAN[tail], False
    return (hundreds * 100 + _GERMAN_ORDINALS[tail], True) if tail in _GERMAN_ORDINALS else None


def _german_below(word: str, limit: int) -> int | None:
    """Return the cardinal number below ``limit`` that one word means, or None."""
    result = _german_tail(word)
    return result[0] if result and not result[1] and result[0] < limit else None


@lru_cache(maxsize=4096)
def _compound_part(word: str) -> Fraction | None:
    """Return the value of "anderthalb", "zweieinhalb", "dreiviertel", "zweidrittel"; None for other words."""
    if word == "anderthalb" or not word.endswith(("halb", "tel")):
        return Fraction(3, 2) if word == "anderthalb" else None
    for part, under in _PARTS["de"].items():
        head = word.removesuffix(part)
        if (part.endswith("tel") or part == "halb") and word.endswith(part) and 0 < len(head) < 20:
            if head.endswith("ein") and (whole := _german_below(head.removesuffix("ein").removesuffix("und"), 100)):
                return whole + Fraction(1, under)
            if head == "ein" and part == "halb":
                return Fraction(3, 2)
            over = _german_below(head, 20)
            return Fraction(over, under) if over and part != "halb" else None
    return None


def _german(tokens: Tokens, i: int) -> Spelled | None:
    low, n, start = tokens.low, len(tokens.low), i
    if low[i].endswith(("halb", "tel")) and (part := _compound_part(low[i])) is not None:
        return _with_fraction(tokens, i + 1, part, "de")
    if i + 1 < n and low[i + 1] in GROUPS and (count := (1, False) if low[i] in ARTICLES else german_word(low[i])):
        return Spelled(Fraction(count[0] * GROUPS[low[i + 1]]), i + 2)
    if (low[i] in ARTICLES or low[i] in _PARTS["de"]) and (result := _fraction_of(tokens, i, "de")):
        return result
    total, smallest = Fraction(0), 18
    while i < n:
        power = SCALES["de"].get(low[i + 1], 0) if i + 1 < n and low[i + 1] != "tausend" else 0
        if low[i] in ARTICLES and low[i] not in ("ein", "eine") and not power:
            break
        word = (1, False) if low[i] in ARTICLES else german_word(low[i])
        if word is None or power >= smallest:
            break
        if not power:
            return (
                Spelled(total + word[0], i + 1, True)
                if word[1]
                else _with_fraction(tokens, i + 1, total + word[0], "de")
            )
        smallest, total, i = power, total + word[0] * 10**power, i + 2
    return Spelled(total, i) if i > start else None
