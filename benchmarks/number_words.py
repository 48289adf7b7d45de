"""The spelling of numbers in digits and words, in English and German: cardinal, ordinal, year, decimal, range."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple, TypeAlias

from answersim._base.errors import MissingExtraError

Value: TypeAlias = tuple[Decimal, ...]  # one number; the two ends of a range

LANGUAGES = ("en", "de")
_WORTH = (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1)
_ROMAN = dict(zip("M CM D CD C XC L XL X IX V IV I".split(), _WORTH, strict=True))


class Spellings(NamedTuple):
    """The texts that mean one value: with digits, and in words; each at least once."""

    digits: tuple[str, ...]
    words: tuple[str, ...]


def spellings(kind: str, value: Value, language: str) -> Spellings:
    """Return how this value of this kind is written in this language.

    >>> spellings("cardinal", (Decimal(1001),), "en")
    Spellings(digits=('1001', '1,001'), words=('one thousand and one', 'one thousand one'))
    >>> spellings("ordinal", (Decimal(21),), "de")
    Spellings(digits=('21.',), words=('einundzwanzigste',))
    >>> spellings("range", (Decimal(10), Decimal(20)), "en").words
    ('ten to twenty',)
    """
    return _KINDS[kind](value, language)


def cardinal(value: Value, language: str) -> Spellings:
    """Spell a whole number from 0: 1001, 1,001 (German 1.001); one thousand and one, one thousand one."""
    number = int(value[0])
    grouped = f"{number:,}" if language == "en" else f"{number:,}".replace(",", ".")
    return Spellings(_each(str(number), grouped), _shorter(_words(number, language), language))


def ordinal(value: Value, language: str) -> Spellings:
    """Spell a place in an order, from 1: 21st, twenty-first; German 21., einundzwanzigste."""
    number = int(value[0])
    return Spellings(
        (_words(number, language, "ordinal_num"),), _shorter(_words(number, language, "ordinal"), language)
    )


def year(value: Value, language: str) -> Spellings:
    """Spell a year of four digits: 1984, nineteen eighty-four; German neunzehnhundertvierundachtzig."""
    number = int(value[0])
    return Spellings((str(number),), _shorter(_words(number, language, "year"), language))


def decimal(value: Value, language: str) -> Spellings:
    """Spell a number with a fraction: 3.5, three point five; German 3,5, drei Komma fünf."""
    digits = f"{value[0]:f}"
    return Spellings((digits if language == "en" else digits.replace(".", ","),), (_words(value[0], language),))


def number_range(value: Value, language: str) -> Spellings:
    """Spell a range of whole numbers: 10-20, 10–20, 10 to 20, ten to twenty; German 10 bis 20, zehn bis zwanzig."""
    low, high = (int(end) for end in value)
    to = "to" if language == "en" else "bis"
    words = f"{_words(low, language)} {to} {_words(high, language)}"
    return Spellings((f"{low}-{high}", f"{low}–{high}", f"{low} {to} {high}"), (words,))


def roman_numeral(number: int) -> str:
    """Return the Roman numeral of a number from 1 to 3,999. Raise ValueError for any other number.

    >>> roman_numeral(1984)
    'MCMLXXXIV'
    """
    if not 1 <= number <= 3999:
        raise ValueError(f"{number} has no Roman numeral; give a number from 1 to 3,999")
    text = ""
    for letters, worth in _ROMAN.items():
        text += letters * (number // worth)
        number %= worth
    return text


_KINDS = {
    "cardinal": cardinal,
    "ordinal": ordinal,
    "year": year,
    "decimal": decimal,
    "range": number_range,
}
KINDS = tuple(_KINDS)


def _words(number: int | Decimal, language: str, to: str = "cardinal") -> str:
    try:
        from num2words import num2words
    except ImportError as error:
        raise MissingExtraError("writing numbers in words", "train", "num2words") from error
    return str(num2words(number, lang=language, to=to))


def _shorter(words: str, language: str) -> tuple[str, ...]:
    """Return the words of num2words, and shorter ones: without "and" and commas; hundert for einhundert."""
    if language == "en":
        return _each(words, words.replace(" and ", " ").replace(",", ""))
    return _each(words, words.removeprefix("ein") if words.startswith(("einhundert", "eintausend")) else words)


def _each(*texts: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))
