"""Whole numbers, ordinals and decimals in words: German, French, Spanish, Italian, Portuguese, Dutch and Russian."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from fractions import Fraction
from functools import cache, lru_cache
from typing import NamedTuple

from answersim.answers.typed.vocabulary import WordRow, rows

LANGUAGES = ("de", "fr", "es", "it", "pt", "nl", "ru")  # number words are separate, or written as one token
_COMPOUNDING = ("de", "it", "nl")  # several words of a number are one token
_UNIT_FIRST = ("de", "nl")  # vierundachtzig
_JOINTS = {"de": ("und",), "fr": ("et",), "es": ("y",), "it": ("e",), "pt": ("e",), "nl": ("en", "ën"), "ru": ()}
_LONGEST_WORD = 80
_MOST_DECIMALS = 9
_HALVES = {  # zweieinhalb, tweeënhalve
    "de": ("einhalb",),
    "nl": ("eenhalf", "ënhalf", "enhalf", "eneenhalf", "eenhalve", "ënhalve", "enhalve", "eneenhalve"),
}


class Numeral(NamedTuple):
    """A number that was read from words."""

    value: Fraction  # the number
    end: int  # the position after the last token
    ordinal: bool = False  # whether it is a place in an order
    decimals: int = 0  # the decimals that are stated


class _Atom(NamedTuple):
    """A word of a number."""

    value: Fraction  # the number; of a scale, its factor
    kind: str  # "number", "ordinal", "scale", "joint" or "half"
    exact: bool  # of a scale, whether it is a number alone: "tausend", but not "Tausende" or "Million"


def unaccented(word: str) -> str:
    """Return a word without accents on its letters, except the short sign of Cyrillic.

    >>> unaccented("février"), unaccented("трёх"), unaccented("третий")
    ('fevrier', 'трех', 'третий')
    """
    if word.isascii():
        return word
    marked = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(c for c in marked if not unicodedata.combining(c) or c == "\u0306"))


def expanded(row: WordRow, lang: str) -> Iterator[str]:
    """Yield the words of a row. One that ends with * stands for the word with each ending of the language."""
    for word in row.words:
        if word.endswith("*"):
            yield from (word[:-1] + ending for ending in _words("ending", lang))
        else:
            yield word


@cache
def _words(kind: str, lang: str) -> tuple[str, ...]:
    """Return the words of a kind in one language: the endings of adjectives, or what separates decimals."""
    return next((row.words for row in rows("words") if row.kind == kind and row.language == lang), ())


@cache
def _atoms(lang: str) -> dict[str, _Atom]:
    table: dict[str, _Atom] = {}
    for row in rows("words"):
        if row.language == lang and row.kind in ("number", "ordinal", "scale"):
            value = Fraction(10 ** int(row.meaning)) if row.kind == "scale" else Fraction(row.meaning)
            for at, word in enumerate(expanded(row, lang)):
                alone = row.kind != "scale" or (value == 1000 and (at == 0 or word == "тысячу"))
                atom = _Atom(value, row.kind, alone)
                if row.kind != "ordinal" or word not in table:
                    table[word] = atom
    table |= dict.fromkeys(_JOINTS[lang], _Atom(Fraction(0), "joint", False))
    table |= dict.fromkeys(_HALVES.get(lang, ()), _Atom(Fraction(1, 2), "half", False))
    for word, atom in tuple(table.items()):
        table.setdefault(unaccented(word), atom)
    return table


@cache
def _longest(lang: str) -> int:
    return max(map(len, _atoms(lang)))


@lru_cache(maxsize=1 << 13)
def _pieces(word: str, lang: str) -> tuple[_Atom, ...]:
    """Return the words of a number of which a token is made; () for other tokens. A joint alone is none."""
    table = _atoms(lang)
    atom = table.get(word) or table.get(unaccented(word))
    if atom is not None:
        return (atom,)
    if lang not in _COMPOUNDING or len(word) > _LONGEST_WORD:
        return ()
    longest = _longest(lang)
    best: list[tuple[_Atom, ...] | None] = [None] * len(word) + [()]
    for i in range(len(word) - 1, -1, -1):
        for end in range(min(len(word), i + longest), i, -1):
            following, atom = best[end], table.get(word[i:end])
            if atom is None or following is None or (end < len(word) and atom.kind == "ordinal"):
                continue
            best[i] = (atom, *following)
            break
    pieces = best[0] or ()
    return pieces if pieces and pieces[0].kind != "joint" and pieces[-1].kind != "joint" else ()


def begins(word: str, lang: str) -> bool:
    """Return whether a number in words can begin with this word, in lower case."""
    pieces = _pieces(word, lang)
    return bool(pieces) and pieces[0].kind not in ("joint", "half")


def numeral(low: tuple[str, ...], i: int, lang: str) -> Numeral | None:
    """Read a number in words that begins at token i, the longest one; None if there is none.

    >>> numeral(("quatre", "-", "vingt", "-", "dix", "-", "sept"), 0, "fr")
    Numeral(value=Fraction(97, 1), end=7, ordinal=False, decimals=0)
    >>> numeral(("dreiundzwanzigster",), 0, "de").ordinal, numeral(("mil", "millones"), 0, "es").value
    (True, Fraction(1000000000, 1))
    """
    whole = _whole(low, i, lang)
    if whole is None or whole.ordinal or whole.value.denominator > 1:
        return whole
    at = whole.end
    if low[at : at + 1] and low[at] in _words("point", lang):
        return _decimal(low, at + 1, whole, lang) or whole
    return whole


def _decimal(low: tuple[str, ...], i: int, whole: Numeral, lang: str) -> Numeral | None:
    """Read what follows "comma": digits one by one, or a number; in Russian, a number of tenths or hundredths."""
    i += lang == "ru" and low[i : i + 1] == ("и",)
    if lang == "ru":
        over = _whole(low, i, lang, ordinals=False)
        under = _whole(low, over.end, lang) if over is not None else None
        if over is None or under is None or not under.ordinal or under.value not in (10, 100, 1000):
            return None
        return Numeral(whole.value + over.value / under.value, under.end, decimals=len(str(under.value)) - 1)
    digits = ""
    while i < len(low) and len(digits) < _MOST_DECIMALS:
        pieces = _pieces(low[i], lang)
        if len(pieces) != 1 or pieces[0].kind != "number" or pieces[0].value >= 10:
            break
        digits, i = f"{digits}{pieces[0].value}", i + 1
    if not digits:
        after = _whole(low, i, lang, ordinals=False)
        if after is None or not 10 <= after.value < 100:
            return None
        digits, i = str(after.value), after.end
    return Numeral(whole.value + Fraction(int(digits), 10 ** len(digits)), i, decimals=len(digits))


def _whole(low: tuple[str, ...], i: int, lang: str, *, ordinals: bool = True) -> Numeral | None:
    total, current, scale, last = Fraction(0), None, Fraction(10**18), Fraction(0)
    joint, ordinal, result = "", False, None
    while i < len(low):
        if result is not None and not joint and (low[i] == "-" or (low[i] == "," and lang == "pt" and not current)):
            joint, i = low[i].strip(","), i + 1
            continue
        pieces = _pieces(low[i], lang)
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
                    total, current, scale = (total + (current or 0)) * piece.value, None, piece.value
                elif current is None and total and not piece.exact:
                    return result
                else:
                    total, current, scale = total + (1 if current is None else current) * piece.value, None, piece.value
            elif piece.kind == "half":
                if current is None or current >= 100:
                    return result
                current += piece.value
            else:
                if piece.kind == "ordinal" and not ordinals:
                    return result
                merged = (
                    _ordinal_scale(total, current, piece, scale)
                    if piece.value >= 1000
                    else _merged(current, piece.value, last, joint, lang, ordinal)
                )
                if merged is None:
                    return result
                current, ordinal, last = merged, piece.kind == "ordinal", piece.value
            joint = ""
        i += 1
        if not joint:
            result = Numeral(total + (current or 0), i, ordinal)
    return result


def _ordinal_scale(total: Fraction, current: Fraction | None, piece: _Atom, scale: Fraction) -> Fraction | None:
    return (current or 1) * piece.value if piece.value < scale and not total else None


def _merged(
    current: Fraction | None, value: Fraction, last: Fraction, joint: str, lang: str, last_ordinal: bool = False
) -> Fraction | None:
    """Return the number below a thousand after another word, or None if the word begins another number.

    ``last``: the word before. ``joint``: "and", "-" or "".
    """
    if current is None:
        return value if joint != "and" or lang in ("pt", "de", "nl", "it") else None
    rest, tens = current % 100, current % 10
    if last_ordinal:  # vigésimo tercero
        place = 10 if value < 10 else 100
        return current + value if current % place == 0 and value < 100 and (value < 10 or value % 10 == 0) else None
    if value.denominator > 1 or current.denominator > 1:
        return None
    if value == 100 and lang not in ("es", "pt", "ru"):
        return (
            current * 100
            if (1 < current < 100 and joint != "and" and rest % 10 != 0) or (1 <= current < 10 and not joint)
            else None
        )
    if value >= 100:
        return None
    if lang == "fr" and value == 20 and rest % 10 == 4 and last == 4 and rest < 10 and joint != "and":
        return current + 76  # quatre-vingts
    if value >= 20:
        unit_first = lang in _UNIT_FIRST and joint == "and" and 0 < rest < 10
        return current + value if (rest == 0 and current) or unit_first else None
    if value >= 10:
        after_60 = lang == "fr" and rest in (60, 80) and (joint != "and" or value == 11)
        fits = rest == 0 and current >= 100 and (joint != "and" or lang in ("pt", "de", "nl"))
        return current + value if fits or after_60 else None
    if value == 0 or tens or not current:
        return None
    if rest == 0:
        return current + value if joint != "and" or lang in ("pt", "de", "nl") else None
    if rest == 10 or (lang == "fr" and rest in (70, 90) and last == 10):
        return (
            current + value
            if (lang == "fr" and value >= 7 and joint != "and") or (lang in ("es", "pt") and not joint)
            else None
        )
    if lang in _UNIT_FIRST:
        return None
    wanted = {"es": joint == "and", "pt": joint == "and", "fr": joint != "and" or value == 1}.get(lang, joint != "and")
    return current + value if wanted else None
