"""Whole numbers, ordinals and decimals in words: German, French, Spanish, Italian, Portuguese, Dutch and Russian."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from functools import cache, lru_cache
from typing import NamedTuple

from answersim.answers.typed.vocabulary import meanings, rows
from answersim.answers.typed.words import Spelled

LANGUAGES = ("de", "fr", "es", "it", "pt", "nl", "ru")  # number words are separate, or written as one token
_COMPOUNDING = ("de", "it", "nl")  # several words of a number are one token
_UNIT_FIRST = ("de", "nl")  # vierundachtzig
_AND = ("pt", "de", "nl")  # "and" may follow hundreds: hundertundeins
_JOINTS = {"de": ("und",), "fr": ("et",), "es": ("y",), "it": ("e",), "pt": ("e",), "nl": ("en", "ën"), "ru": ()}
_LONGEST_WORD = 80
_MOST_DECIMALS = 9
_ROMAN = re.compile(r"(?=.)M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


class _Atom(NamedTuple):
    """A word of a number."""

    value: Fraction  # the number; of a scale, its factor
    kind: str  # "number", "ordinal", "scale", "joint" or "half"
    exact: bool = False  # of a scale, whether it is a number alone: "tausend", but not "Tausende" or "Million"


def roman_value(text: str) -> int | None:
    """Return the value of a Roman numeral in capital letters, 1 to 3,999; None for anything else."""
    if not _ROMAN.fullmatch(text):
        return None
    values = [_VALUES[letter] for letter in text]
    return sum(-value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True))


def unaccented(word: str) -> str:
    """Return a word without accents on its letters, except the short sign of Cyrillic: трех, but третий."""
    if word.isascii():
        return word
    marked = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(c for c in marked if not unicodedata.combining(c) or c == "\u0306"))


@cache
def _atoms(lang: str) -> dict[str, _Atom]:
    table: dict[str, _Atom] = {}
    for kind, language, meaning, words in rows("words"):
        if language == lang and kind in ("number", "ordinal", "scale"):
            value = Fraction(10 ** int(meaning)) if kind == "scale" else Fraction(meaning)
            for at, word in enumerate(words):
                if kind != "ordinal" or word not in table:
                    table[word] = _Atom(value, kind, value == 1000 and (at == 0 or word == "тысячу"))
    table |= dict.fromkeys(_JOINTS[lang], _Atom(Fraction(0), "joint"))
    halves = meanings("half behind", lang, table="endings")  # zweieinhalb, tweeënhalve
    table |= dict.fromkeys(halves, _Atom(Fraction(1, 2), "half"))
    for word, atom in tuple(table.items()):
        table.setdefault(unaccented(word), atom)
    return table


@lru_cache(maxsize=1 << 13)
def pieces_of(word: str, lang: str) -> tuple[_Atom, ...]:
    """Return the words of a number of which a token is made; () for other tokens. A joint alone is none."""
    table = _atoms(lang)
    atom = table.get(word) or table.get(unaccented(word))
    if atom is not None:
        return (atom,)
    if lang not in _COMPOUNDING or len(word) > _LONGEST_WORD:
        return ()
    best: list[tuple[_Atom, ...] | None] = [None] * len(word) + [()]
    for i in range(len(word) - 1, -1, -1):
        for end in range(len(word), i, -1):
            following, atom = best[end], table.get(word[i:end])
            if atom is not None and following is not None and (end == len(word) or atom.kind != "ordinal"):
                best[i] = (atom, *following)
                break
    pieces = best[0] or ()
    return pieces if pieces and "joint" not in (pieces[0].kind, pieces[-1].kind) else ()


def numeral(low: tuple[str, ...], i: int, lang: str) -> Spelled | None:
    """Read a number in words that begins at token i, the longest one; None if there is none."""
    whole = _whole(low, i, lang)
    if whole is None or whole.ordinal or whole.value.denominator > 1:
        return whole
    at = whole.end
    is_decimal = at < len(low) and low[at] in meanings("point", lang)
    return (_decimal(low, at + 1, whole.value, lang) if is_decimal else None) or whole


def _decimal(low: tuple[str, ...], i: int, whole: Fraction, lang: str) -> Spelled | None:
    """Read what follows "comma": digits one by one, or a number; in Russian, a number of tenths or hundredths."""
    if lang == "ru":
        over = _whole(low, i + (low[i : i + 1] == ("и",)), lang, ordinals=False)
        under = _whole(low, over.end, lang) if over is not None else None
        if over is None or under is None or not under.ordinal or under.value not in (10, 100, 1000):
            return None
        return Spelled(whole + over.value / under.value, under.end, step=1 / under.value)
    digits = ""
    while i < len(low) and len(digits) < _MOST_DECIMALS:
        pieces = pieces_of(low[i], lang)
        if len(pieces) != 1 or pieces[0].kind != "number" or pieces[0].value >= 10:
            break
        digits, i = f"{digits}{pieces[0].value}", i + 1
    if not digits:
        after = _whole(low, i, lang, ordinals=False)
        if after is None or not 10 <= after.value < 100:
            return None
        digits, i = str(after.value), after.end
    step = Fraction(1, 10 ** len(digits))
    return Spelled(whole + int(digits) * step, i, step=step)


def _whole(low: tuple[str, ...], i: int, lang: str, *, ordinals: bool = True) -> Spelled | None:
    total, current, scale, last = Fraction(0), None, Fraction(10**18), Fraction(0)
    joint, ordinal, result = "", False, None
    while i < len(low):
        if result is not None and not joint and (low[i] == "-" or (low[i] == "," and lang == "pt" and not current)):
            joint, i = low[i].strip(","), i + 1
            continue
        pieces = pieces_of(low[i], lang)
        if not pieces or (len(pieces) == 1 and pieces[0].kind == "joint" and (joint or result is None)):
            break
        for piece in pieces:
            if piece.kind == "joint":
                joint = "and"
                continue
            if ordinal and not (piece.kind == "ordinal" and lang in ("es", "pt")):
                return result
            if piece.kind == "scale":
                if joint == "and" or (current is None and not (total and scale == 1000) and not piece.exact):
                    return result
                if piece.value >= scale:
                    if scale != 1000 or piece.value < 10**6:
                        return result
                    total = (total + (current or 0)) * piece.value
                else:
                    total += (1 if current is None else current) * piece.value
                current, scale = None, piece.value
            elif piece.kind == "half":
                if current is None or current >= 100:
                    return result
                current += piece.value
            else:
                if piece.kind == "ordinal" and not ordinals:
                    return result
                if piece.value < 1000:
                    merged = _merged(current, piece.value, last, joint, lang, ordinal)
                else:
                    merged = (current or 1) * piece.value if piece.value < scale and not total else None
                if merged is None:
                    return result
                current, ordinal, last = merged, piece.kind == "ordinal", piece.value
            joint = ""
        i += 1
        if not joint:
            result = Spelled(total + (current or 0), i, ordinal)
    return result


def _merged(
    current: Fraction | None, value: Fraction, last: Fraction, joint: str, lang: str, last_ordinal: bool = False
) -> Fraction | None:
    """Return the number below a thousand after another word and a joint, or None if the word begins another number."""
    if current is None:
        return value if joint != "and" or lang in (*_AND, "it") else None
    rest, unit = current % 100, current % 10
    if value == 100 and not last_ordinal and current.denominator == 1 and lang not in ("es", "pt", "ru"):
        fits = (1 < current < 100 and joint != "and" and unit != 0) or (1 <= current < 10 and not joint)
        return current * 100 if fits else None
    if last_ordinal:  # vigésimo tercero
        fits = unit == 0 if value < 10 else rest == 0 and value < 100 and value % 10 == 0
    elif value.denominator > 1 or current.denominator > 1 or value >= 100:
        fits = False
    elif lang == "fr" and value == 20 and rest == last == 4 and joint != "and":
        return current + 76  # quatre-vingts
    elif value >= 20:
        fits = (rest == 0 and current > 0) or (lang in _UNIT_FIRST and joint == "and" and 0 < rest < 10)
    elif value >= 10:
        after_60 = lang == "fr" and rest in (60, 80) and (joint != "and" or value == 11)
        fits = after_60 or (rest == 0 and current >= 100 and (joint != "and" or lang in _AND))
    elif value == 0 or unit or not current:
        fits = False
    elif rest == 0:
        fits = joint != "and" or lang in _AND
    elif rest == 10 or (lang == "fr" and rest in (70, 90) and last == 10):
        fits = (lang == "fr" and value >= 7 and joint != "and") or (lang in ("es", "pt") and not joint)
    elif lang in ("es", "pt"):
        fits = joint == "and"
    else:
        fits = lang not in _UNIT_FIRST and (joint != "and" or (lang == "fr" and value == 1))
    return current + value if fits else None
