"""Numbers in writing: grouped digits, words in four languages, Roman numerals."""

from __future__ import annotations

from fractions import Fraction

MONTHS = {
    "en": "January February March April May June July August September October November December".split(),
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split(),
}
POINTS = {"en": (",", "."), "de": (".", ","), "zh": (",", "."), "ja": (",", ".")}
_ROMAN = dict(
    zip(
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        ("M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"),
        strict=True,
    )
)
_DIGITS = "零一二三四五六七八九"


def decimal(value: Fraction | int, language: str = "en", places: int = 4, grouped: bool = True) -> str | None:
    """Return this number in digits, without rounding.

    ``places``: the maximum number of decimal places. A number that needs more is None. ``grouped``: whether thousands
    are separated. Numbers below 1,000 have nothing to separate.

    >>> decimal(Fraction(12345, 10)), decimal(Fraction(12345, 10), "de"), decimal(Fraction(1, 3))
    ('1,234.5', '1.234,5', None)
    """
    scaled = Fraction(value) * 10**places
    if scaled.denominator != 1:
        return None
    whole, rest = divmod(abs(int(scaled)), 10**places)
    group, point = POINTS[language]
    digits = f"{whole:,}".replace(",", group) if grouped else str(whole)
    tail = f"{rest:0{places}d}".rstrip("0") if places else ""
    return ("-" if scaled < 0 else "") + digits + (point + tail if tail else "")


def significant(value: Fraction, digits: int) -> Fraction:
    """Round a positive number to this many significant digits, halves away from zero, in exact arithmetic.

    >>> significant(Fraction(804672, 100000), 3)
    Fraction(161, 20)
    """
    unit = Fraction(1)
    while value >= unit * 10**digits:
        unit *= 10
    while value < unit * 10 ** (digits - 1):
        unit /= 10
    return (value / unit + Fraction(1, 2)).__floor__() * unit


def words(value: int, language: str = "en") -> str:
    """Return this whole number, 0 or more, in the words of the language.

    >>> words(1234), words(21, "de"), words(10500, "zh"), words(1234, "ja")
    ('one thousand two hundred and thirty-four', 'einundzwanzig', '一万零五百', '千二百三十四')
    >>> words(21000, "ja")
    '二万一千'
    """
    if language in ("zh", "ja"):
        return _east_asian(value, language)
    from num2words import num2words

    return num2words(value, lang=language).replace(",", "")


def ordinal(value: int) -> str:
    """Return an English ordinal in digits.

    >>> ordinal(21), ordinal(112), ordinal(3)
    ('21st', '112th', '3rd')
    """
    ending = "th" if value % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
    return f"{value}{ending}"


def ordinal_words(value: int) -> str:
    """Return an English ordinal in words.

    >>> ordinal_words(21)
    'twenty-first'
    """
    from num2words import num2words

    return num2words(value, to="ordinal").replace(",", "")


def roman(value: int) -> str:
    """Return this number, from 1 to 3,999, in Roman numerals.

    >>> roman(1969)
    'MCMLXIX'
    """
    text = ""
    for size, letters in _ROMAN.items():
        count, value = divmod(value, size)
        text += letters * count
    return text


def full_width(text: str) -> str:
    """Return this text with full-width digits and ASCII punctuation.

    >>> full_width("15:30")
    '１５：３０'
    """
    return "".join(chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" else letter for letter in text)


def _east_asian(value: int, language: str) -> str:
    if value == 0:
        return _DIGITS[0]
    groups: list[int] = []
    while value:
        value, group = divmod(value, 10_000)
        groups.append(group)
    text = ""
    for i in reversed(range(len(groups))):
        if groups[i]:
            gap = language == "zh" and text and (groups[i] < 1000 or groups[i + 1] == 0)
            text += (
                ("零" if gap else "")
                + _below_10_000(groups[i], language, len(groups) > 1)
                + ("", "万", "亿" if language == "zh" else "億")[i]
            )
    if language == "zh" and text.startswith("一十"):
        text = text[1:]
    return text


def _below_10_000(value: int, language: str, part: bool) -> str:
    text, gap = "", False
    for size, letter in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, value = divmod(value, size)
        if digit == 0:
            gap = bool(text)
            continue
        if gap and language == "zh":
            text += "零"
        gap = False
        bare = language == "ja" and digit == 1 and size > 1 and not (part and size == 1000)
        text += ("" if bare else _DIGITS[digit]) + letter
    return text
