"""Words with a meaning, as data, and the grammar of numbers in words: "nineteen eighty-four", "einundzwanzigste"."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from answersim.answers.typed.tokens import Tokens

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
        return tuple(
            WordRow(kind, language, meaning, tuple(words.casefold().split("|")))
            for kind, language, meaning, words, *_ in list(csv.reader(file))[1:]
        )


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


# By language; German answers may have English words.
NUMBERS = {"en": numbers("number", "en"), "de": numbers("number", "en", "de")}
SCALES = {"en": numbers("scale", "en"), "de": numbers("scale", "en") | numbers("scale", "de")}  # powers of ten
PARTS = {"en": numbers("part", "en"), "de": numbers("part", "en") | numbers("part", "de")}
ORDINALS = {"en": numbers("ordinal", "en"), "de": numbers("ordinal", "en")}
ORDINALS["de"] |= {
    f"{stem}{ending}": value
    for stem, value in (
        *(
            (f"{word}{'ste' if value >= 20 else 'te'}", value)
            for word, value in numbers("number", "de").items()
            if value
        ),
        *zip("erste zweite dritte siebte achte tausendste".split(), (1, 2, 3, 7, 8, 1000), strict=True),
    )
    for ending in ("", "r", "n", "s", "m")
}
GROUPS = numbers("group")  # a dozen, a score
ARTICLES = frozenset(meanings("article", *LANGUAGES))
HALVES = ("half", "halb", "halbe", "halbes")
_ALONE = frozenset("hundred thousand million billion trillion hundert tausend milliarde".split()) | frozenset(GROUPS)
_DIGITS = {lang: table | numbers("nought") for lang, table in NUMBERS.items()}
_HUNDREDS = frozenset(("hundred", "hundredth"))
_POINTS = ("point", "komma")
# Words after a number that multiply or divide it. A number before one of them is not the value that is meant.
MULTIPLIERS = listed("multiplier") | frozenset(PARTS["en"])
NUMBER_WORDS = frozenset({*NUMBERS["en"], *ORDINALS["en"], *PARTS["en"], *GROUPS, "thousand"})
_PIECE = re.compile(
    "|".join(sorted({"und", "tausend", *numbers("number", "de"), *ORDINALS["de"]}, key=len, reverse=True))
)
_PART = re.compile(
    rf"(?:(?P<whole>\w{{1,20}}?)(?:und)?(?=ein))?(?P<over>\w{{1,20}}?)(?P<part>{'|'.join(numbers('part', 'de'))})"
)


class Spelled(NamedTuple):
    """A number that was read from words."""

    value: Fraction  # the number
    end: int  # the position after the last token
    ordinal: bool = False  # whether it is a place in an order
    step: Fraction = Fraction(1)  # the last place that is stated: .1 for "one point five"


@lru_cache(maxsize=4096)
def _pieces(word: str) -> tuple[str, ...]:
    """Return the words of which a German number in one word is made: vier, und, achtzig; () for other words."""
    pieces = tuple(_PIECE.findall(word)) if len(word) < 80 else ()
    return pieces if "".join(pieces) == word and pieces[:1] != ("und",) else ()


@lru_cache(maxsize=4096)
def _compound_part(word: str) -> Fraction | None:
    """Return the value of "anderthalb", "zweieinhalb", "dreiviertel", "zweidrittel"; None for other words."""
    match = _PART.fullmatch(word)
    if word == "anderthalb" or match is None:
        return Fraction(3, 2) if word == "anderthalb" else None
    whole, over = (NUMBERS["de"].get(match[name] or "", 0) for name in ("whole", "over"))
    if match["part"] == "halb":
        return max(whole, 1) + Fraction(1, 2) if over == 1 else None
    return whole + Fraction(over, PARTS["de"][match["part"]]) if over else None


def is_number_word(word: str, lang: str) -> bool:
    """Return whether a number in words can begin with this word, in lower case."""
    if word in NUMBER_WORDS:
        return True
    return lang == "de" and (word in PARTS["de"] or bool(_pieces(word)) or _compound_part(word) is not None)


def is_plural_number(word: str) -> bool:
    """Return whether the word is a plural such as "fives" and "sixes"."""
    return word.endswith("s") and (word[:-1] in NUMBERS["en"] or word[:-2] in NUMBERS["en"])


def is_point(low: tuple[str, ...], i: int) -> bool:
    """Return whether "point five" or "point oh seven" begins at i."""
    return low[i] == "point" and i + 1 < len(low) and _DIGITS["en"].get(low[i + 1], 10) < 10


def spelled(tokens: Tokens, i: int, lang: str) -> Spelled | None:
    """Read a number in words that begins at token i. German also accepts English words.

    >>> from answersim.answers.typed.tokens import tokens
    >>> spelled(tokens("nineteen eighty-four"), 0, "en").value
    Fraction(1984, 1)
    >>> spelled(tokens("neunzehnhundertvierundachtzig"), 0, "de").value, spelled(tokens("elfte"), 0, "de").ordinal
    (Fraction(1984, 1), True)
    """
    low, n = tokens.low, len(tokens.low)
    if lang == "de" and (part := _compound_part(low[i])) is not None:
        return _with_fraction(low, i + 1, part, lang)
    if (result := _part_of_one(low, i, lang)) is not None:
        return result
    if is_point(low, i):
        return _with_fraction(low, i, Fraction(0), lang)
    article = low[i] in ARTICLES and i + 1 < n and low[i + 1] in _ALONE
    if (low[i] in ("einem", "einer", "einen") and not article) or low[i] == "score" or (low[i] in GROUPS and n > 1):
        return None
    number = _whole(low, i + article, lang)
    if number is None or (article and number.ordinal):
        return None
    value, end = number.value, number.end
    if number.ordinal:
        return number
    if 11 <= value <= 20 and low[end : end + 1] in (("oh",), ("o",)):  # nineteen oh-six
        at = end + 1 + (low[end + 1 : end + 2] == ("-",))
        digit = NUMBERS["en"].get(low[at], 0) if at < n else 0
        return Spelled(value * 100 + digit, at + 1) if 0 < digit < 10 else number
    if low[end : end + 1] and low[end] in GROUPS and value < 1000:
        value, end = value * GROUPS[low[end]], end + 1
    scale = GROUPS.get(low[end - 1], 10 ** SCALES[lang].get(low[end - 1], 0))
    fraction = proper_fraction(tokens, end + 1, lang) if low[end : end + 1] in (("and",), ("und",)) else None
    if fraction is not None and low[end - 1] == "hundred":
        return None  # a hundred and a half is 100.5 or 150
    if fraction is not None and scale > 1:  # a million and a half
        return Spelled(value + fraction[0] * scale, fraction[1], step=fraction[0] * scale / 1000)
    return _with_fraction(low, end, value, lang)


def _sequence(low: tuple[str, ...], i: int, lang: str) -> Iterator[tuple[str, str, int]]:
    """Yield each number word from token i on, what joins it to the one before, and the position after its token.

    The position is -1 for a word inside a token.
    """
    joint, begun = "", False
    while i < len(low):
        comma = low[i] == "," and low[i - 1] in SCALES[lang] and not _HUNDREDS.isdisjoint(low[i + 2 : i + 5])
        if begun and not joint and (low[i] in ("and", "und", "-") or comma):
            joint, i = low[i], i + 1
            continue
        known = low[i] in NUMBERS[lang] or low[i] in ORDINALS[lang] or low[i] in SCALES[lang] or low[i] in GROUPS
        pieces = (low[i],) if known else _pieces(low[i]) if lang == "de" else ()
        for at, piece in enumerate(pieces):
            if piece == "und" and len(pieces) > 1:
                joint = "und"
                continue
            yield piece, joint, i + 1 if at == len(pieces) - 1 else -1
            joint, begun = "", True
        if not pieces:
            return
        i += 1


def _whole(low: tuple[str, ...], i: int, lang: str) -> Spelled | None:
    """Read a whole number: the value of the scales so far, and the one since the last scale."""
    total, current, smallest, result = 0, -1, 18, None
    for word, joint, end in _sequence(low, i, lang):
        ordinal = word in ORDINALS[lang] and word not in NUMBERS[lang]
        power = 0 if ordinal else SCALES[lang].get(word, 0)
        value = ORDINALS[lang][word] if ordinal else NUMBERS[lang].get(word, GROUPS.get(word, 10**power))
        if current == -1 and not ordinal and value >= 100 and word not in _ALONE:
            return None  # millions of people
        if power or value >= 1000:
            if current == 0 or (power and power >= smallest) or (joint and joint != "-"):
                break
            total, current, smallest = total + max(current, 1) * value, 0, power or smallest
        else:
            merged = _merged(current, value, joint, low, smallest < 18)
            if merged is None or (word in GROUPS and current != -1):
                break
            current = merged
        if end > 0:
            result = Spelled(Fraction(total + max(current, 0)), end, ordinal)
        if ordinal:
            break
    return result


def _merged(current: int, value: int, joint: str, low: tuple[str, ...], scaled: bool) -> int | None:
    """Return the number below a thousand after another word, or None if the word begins another number."""
    rest = current % 100
    if value == 100:
        return 100 if current in (-1, 0) else current * 100 if 0 < current < 100 and joint != "and" else None
    if current == -1 or (current == 0 and scaled):
        return value
    if joint == "und" and 0 < rest < 10:  # vierundachtzig
        return current + value if value >= 20 and value % 10 == 0 else None
    if joint == "-" and value >= 10:
        return current * 100 + value if current in (18, 19, 20) and value < 100 else None  # nineteen-eighty: a year
    if rest == 0 and current >= 100:
        return current + value
    if joint not in ("and", "und") and 0 < value < 10 and rest >= 20 and rest % 10 == 0:
        return current + value
    if not joint and 10 <= current <= 99 and 10 <= value <= 99 and (current >= 11 or value >= 20):
        return current * 100 + value  # nineteen eighty: a year
    return None


def _part_of_one(low: tuple[str, ...], i: int, lang: str) -> Spelled | None:
    """Read "half", "a half", "one third", "one-fifth", "a quarter", "half a million", "half a dozen", "half-dozen"."""
    n, start = len(low), i
    i += low[i] in ARTICLES or low[i] == "one"
    if i == start and low[i] not in HALVES and low[i] in PARTS["en"]:
        return None
    hyphen = i > start and i + 1 < n and low[i] == "-"
    i += hyphen
    if i >= n or low[i] not in PARTS[lang] or (low[i].endswith("s") and low[i] in PARTS["en"]):
        return None
    word, value, i = low[i], Fraction(1, PARTS[lang][low[i]]), i + 1
    if (whole := _scale_after(low, i, lang)) is not None:
        return Spelled(value * whole[0], whole[1])
    if word in ORDINALS[lang] and (i == start + 1 or not (hyphen or i == n or low[i] in _AFTER_PART)):
        return None  # "third" alone and "a third child" are ordinals
    return None if ORDINALS[lang].get(word, 0) >= 100 and not hyphen else Spelled(value, i, step=value / 1000)


def _scale_after(low: tuple[str, ...], i: int, lang: str) -> tuple[int, int] | None:
    """Return the factor of "million", "a dozen", "of a million", "-dozen" at i, and the position after it."""
    at = i + (low[i : i + 1] == ("-",))
    at += low[at : at + 1] in (("of",), ("von",))
    at += at < len(low) and low[at] in ARTICLES
    if at >= len(low) or (low[at] not in SCALES[lang] and low[at] not in GROUPS):
        return None
    return (GROUPS[low[at]] if low[at] in GROUPS else 10 ** SCALES[lang][low[at]]), at + 1


def proper_fraction(tokens: Tokens, i: int, lang: str) -> tuple[Fraction, int] | None:
    """Read a fraction below 1 at i, and return it with the position after it.

    >>> from answersim.answers.typed.tokens import tokens
    >>> proper_fraction(tokens("two-thirds"), 0, "en"), proper_fraction(tokens("drei Viertel"), 0, "de")
    ((Fraction(2, 3), 3), (Fraction(3, 4), 2))
    """
    low, n = tokens.low, len(tokens.low)
    if i < n and low[i] in HALVES and low[i] in PARTS[lang]:
        return Fraction(1, 2), i + 1
    if i + 1 >= n:
        return None
    word = low[i]
    over = int(word) if word.isdecimal() and len(word) <= 2 else 1 if word in ARTICLES else NUMBERS[lang].get(word, 0)
    at = i + 1 + (low[i + 1] == "-" and i + 2 < n)
    under = PARTS[lang].get(low[at], 0)
    return (
        (Fraction(over, under), at + 1) if 0 < over < under and (over == 1 or low[at] not in ORDINALS[lang]) else None
    )


def with_part(tokens: Tokens, i: int, value: Fraction, lang: str) -> tuple[Fraction, int] | None:
    """Return a whole number with the fraction after it ("and a half"), or as its numerator ("quarters")."""
    low, n = tokens.low, len(tokens.low)
    at = i + (low[i] == "-" and i + 1 < n)
    if low[at] in PARTS[lang] and low[at] not in ORDINALS[lang] and low[at] not in (*HALVES, "quarter"):
        return (value / PARTS[lang][low[at]], at + 1) if 0 < value < 100 else None
    if low[at] not in ("and", "und"):
        return None
    at += 1
    at += low[at : at + 1] == ("-",)
    part = proper_fraction(tokens, at, lang) if at < n else None
    return None if part is None else (value + part[0], part[1])


def _with_fraction(low: tuple[str, ...], i: int, value: Fraction, lang: str) -> Spelled:
    """Read what may follow a whole number: "point five", "and a half", "thirds", "million"."""
    n, digits, step = len(low), _DIGITS[lang], Fraction(1)
    if i + 1 < n and low[i] in _POINTS and digits.get(low[i + 1], 10) < 10:
        i += 1
        while i < n and digits.get(low[i], 10) < 10 and step.denominator < 10**_MOST_DECIMALS:
            step /= 10
            value, i = value + digits[low[i]] * step, i + 1
    elif i < n and value.denominator == 1 and (mixed := with_part(Tokens(low, low, ()), i, value, lang)) is not None:
        value, i = mixed
        step = value / 1000
    if value.denominator > 1 and (whole := _scale_after(low, i, lang)) is not None:
        return Spelled(value * whole[0], whole[1], step=step * whole[0])
    return Spelled(value, i, step=step)
