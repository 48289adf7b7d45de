"""One German word -> the number that it means: elf, einundzwanzigste, neunzehnhundertvierundachtzig."""

from __future__ import annotations

from functools import lru_cache

_GERMAN_UNITS = "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf".split()
_GERMAN_STEMS = ["", "ein", *_GERMAN_UNITS[2:10]]
GERMAN_TENS = dict(
    zip(range(20, 100, 10), "zwanzig dreissig vierzig fünfzig sechzig siebzig achtzig neunzig".split(), strict=True)
)
_ENDINGS = ("", "r", "n", "s", "m")


def _german() -> tuple[dict[str, int], dict[str, int]]:
    """Return the German words below 100: the cardinals, and the ordinals in all their endings."""
    words = {word: i for i, word in enumerate(_GERMAN_UNITS)} | {"ein": 1, "eine": 1, "zwo": 2}
    teens = {3: "dreizehn", 4: "vierzehn", 5: "fünfzehn", 6: "sechzehn", 7: "siebzehn", 8: "achtzehn", 9: "neunzehn"}
    words |= {word: 10 + i for i, word in teens.items()}
    for value, ten in GERMAN_TENS.items():
        words |= {ten: value} | {f"{stem}und{ten}": value + i for i, stem in enumerate(_GERMAN_STEMS) if i}
    stems = {f"{word}{'ste' if value >= 20 else 'te'}": value for word, value in words.items() if value}
    stems |= {"erste": 1, "zweite": 2, "dritte": 3, "siebte": 7, "achte": 8}
    ordinals = {f"{stem}{end}": value for stem, value in stems.items() for end in _ENDINGS}
    plain = str.maketrans({"ü": "ue", "ö": "oe"})
    for table in (words, ordinals):
        table |= {word.translate(plain): value for word, value in table.items()}
    return words, ordinals


GERMAN, _ORDINALS = _german()


@lru_cache(maxsize=4096)
def german_word(word: str) -> tuple[int, bool] | None:
    """Return the number that one German word means, below a million, and whether it is ordinal; None for other words.

    >>> german_word("neunzehnhundertvierundachtzig"), german_word("elfte"), german_word("haus")
    ((1984, False), (11, True), None)
    """
    if len(word) > 100 or word.startswith("und"):
        return None
    head, mark, tail = word.partition("tausend")
    if mark:
        thousands, rest = german_below(head, 1000) if head else 1, _german_tail(tail)
        return None if thousands is None or rest is None else (thousands * 1000 + rest[0], rest[1])
    return _german_tail(word) if word else None


def _german_tail(word: str) -> tuple[int, bool] | None:
    """Return the number below 10,000 in one word without "tausend", and whether it is ordinal."""
    if word in ("", "ste", "ster", "sten", "stes", "stem"):
        return 0, word != ""
    head, mark, tail = word.partition("hundert")
    if not mark:
        tail, hundreds = word, 0
    elif (below := german_below(head, 100) if head else 1) is None:
        return None
    else:
        hundreds = below * 100
    if mark and tail in ("", "ste", "ster", "sten", "stes", "stem"):
        return hundreds, tail != ""
    tail = tail.removeprefix("und") if tail not in GERMAN and tail not in _ORDINALS else tail
    if tail in GERMAN:
        return hundreds + GERMAN[tail], False
    return (hundreds + _ORDINALS[tail], True) if tail in _ORDINALS else None


def german_below(word: str, limit: int) -> int | None:
    """Return the cardinal number below ``limit`` that one word means, or None.

    >>> german_below("neun", 100), german_below("neunte", 100)
    (9, None)
    """
    result = _german_tail(word)
    return result[0] if result and not result[1] and result[0] < limit else None
