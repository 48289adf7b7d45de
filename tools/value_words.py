"""Write answersim/answers/typed/cldr.csv: months, weekdays, units and currencies of the Unicode CLDR.

Run ``python -m tools.value_words`` with Babel installed. The package itself reads the file only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from answersim.answers.typed.date import DAYS, MONTHS
from tools.tables import table, write

PATH = Path("answersim/answers/typed/cldr.csv")
UNITS = table(__file__, "value_units.tsv")  # of the CLDR: kind, name, and name in answersim/answers/typed/units.csv
LANGUAGES = ("de", "fr", "es", "it", "pt", "nl", "ru", "zh", "ja")
_SPACED = ("de", "fr", "es", "it", "pt", "nl", "ru")
_COUNTS = (0, 1, 2, 5, 100)  # they have all plural forms of these languages
_CURRENCIES = "USD EUR GBP JPY CHF INR RUB CNY KRW CAD AUD THB ILS HKD".split()


def rows(lang: str) -> Iterator[tuple[str, set[str]]]:
    """Yield the English words and the words of the language that mean the same, in lower case."""
    from babel import Locale

    locale = Locale(lang)
    if lang in _SPACED:
        for at, name in enumerate(MONTHS):
            yield name.title(), {_word(names[at + 1]) for names in _tables(locale.months)}
        for at, name in enumerate(DAYS):
            yield name.title(), {_word(names[at]) for names in _tables(locale.days)}
    for kind, unit, meaning in UNITS:
        yield meaning, set(_counted(locale, f"{kind}-{unit}"))
    for code in _CURRENCIES:
        plurals = dict(locale._data["currency_names_plural"].get(code) or {})
        names_of_code = {*plurals.values(), locale.currencies.get(code, "")} - {""}
        yield code.lower(), {_word(name) for name in names_of_code if "(" not in name}


def _tables(tables: Any) -> Iterator[Any]:
    for context in ("format", "stand-alone"):
        for width in ("wide", "abbreviated"):
            yield tables[context][width]


def _counted(locale: Any, unit: str) -> Iterator[str]:
    from babel.units import UnknownUnitError, format_unit

    for count in _COUNTS:
        try:
            text = format_unit(count, unit, "long", locale=locale)
        except UnknownUnitError:
            return
        if word := _word(re.sub(r"[\d\s.,]+", " ", text)):
            yield word


def _word(text: str) -> str:
    return " ".join(text.replace("\u200f", "").casefold().split()).removesuffix(".")


def main() -> None:
    """Write the table."""
    listed = [(lang, english, "|".join(sorted(words))) for lang in LANGUAGES for english, words in rows(lang) if words]
    write(PATH, [("kind", "language", "meaning", "words"), *(("in English", *row) for row in listed)])


if __name__ == "__main__":
    main()
