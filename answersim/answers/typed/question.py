"""What a question states about its answer: what it counts, a unit, a scale, an order, several answers."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Literal, NamedTuple

from answersim.answers.text.patterns import Patterns
from answersim.answers.typed.quantity import SHARE, Unit, scan_unit
from answersim.answers.typed.tokens import fold, tokens
from answersim.answers.typed.vocabulary import numbers
from answersim.answers.typed.words import SCALES

_P = Patterns("question")
_LONGEST = 2000  # characters of a question that are read
_SCALES = numbers("scale", "de") | SCALES


class Asked(NamedTuple):
    """What a question states about its answer."""

    counts: bool = False  # whether it counts things, so that a whole number is exact: "How many players"
    share: bool = False  # whether it asks for a percentage
    # "code" if its digits are a name ("Which zip code"), "version" for that of a program
    identifier: Literal["", "code", "version"] = ""
    scale: Fraction = Fraction(1)  # the factor of the numbers: a million for "(in USD millions)"
    unit: Unit | None = None  # the unit of the numbers: "How many miles", "(in km)"
    ordered: bool = False  # whether it is about an order
    several: bool = False  # whether it asks for several answers
    ends: bool = False  # whether it asks for both ends of a period
    period: str = ""  # the finest part of a date that it asks for: "month" for "In which month"
    precise: bool = False  # whether it states how many digits the answer has


NOTHING = Asked()


@lru_cache(maxsize=1 << 12)
def asked(question: str) -> Asked:
    """Return what a question states about its answer."""
    text = fold(question[:_LONGEST])
    unit = None
    for match in _P.unit.finditer(text):
        words = tokens(next(group for group in match.groups() if group))
        result = scan_unit(words, 0)
        if result is not None and result[1] == len(words.low) and result[0].dimension != SHARE:
            unit = result[0]
    scale = _P.scale.search(text)
    periods = {"day": _P.day, "month": _P.month, "year": _P.year, "decade": _P.decade, "century": _P.century}
    return Asked(
        counts=unit is None and _P.counts.search(text) is not None,
        share=_P.share.search(text) is not None,
        identifier="version" if _P.version.search(text) else "code" if _P.code.search(text) else "",
        scale=Fraction(10 ** (_SCALES[scale[1].lower()] if scale else 0)),
        unit=unit,
        ordered=_P.order.search(text) is not None,
        several=_P.several.search(text) is not None,
        ends=_P.ends.search(text) is not None,
        period=next((period for period, form in periods.items() if form.search(text)), ""),
        precise=_P.precise.search(text) is not None,
    )
