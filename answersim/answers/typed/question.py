"""What a question states about its answer: what it counts, a unit, a scale, an order, several answers."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import Literal, NamedTuple

from answersim.answers.typed.quantity import SHARE, Unit, scan_unit
from answersim.answers.typed.tokens import fold, tokens
from answersim.answers.typed.words import SCALES

_LONGEST = 2000  # characters of a question that are read
_COUNTS = re.compile(r"\b(?:how many|(?:the |total )number of|wie ?viele|anzahl)\b(?! (?:year|page) )", re.IGNORECASE)
_SHARE = re.compile(
    r"%|\b(?:per ?cent|prozent|anteil|pour ?cent|por ?c[ie]en|por ?cent|procent|процент|share of\b|proportion\b)"
    r"|百分|パーセント|割合|何割",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"\b(?:codes?|zip|post(?:al )?code|postleitzahl|vorwahl|(?:tele)?phone|fax|serial|pin|isbn|passcode|password|"
    r"id|identifier|agent|flight|license plate|number plate|(?:room|account|model|bus|jersey|route) number)\b",
    re.IGNORECASE,
)
_VERSION = re.compile(r"\b(?:versions?|releases?|firmware)\b", re.IGNORECASE)
# "(in USD millions)", "in thousands of dollars", "($ millions)", "(USD mn)": the answer is a number of these.
_SCALE = re.compile(
    r"(?:\bin\s|\()(?:in\s)?(?:[A-Za-z]{3}\s|(?:US|us)?\s?[$€£¥]\s?|u\.?s\.? dollars?\s)?"
    r"(thousand|million|billion|trillion|tausend|millionen|milliarden|mio|mrd|mn|bn)s?\b",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"\bhow many\s+((?:square |cubic )?[a-z°]+)|\bin\s+((?:square |cubic )?[a-z°/]+s)\b|\(in ([^()]{1,20})\)",
    re.IGNORECASE,
)
_GERMAN_SCALES = {"tausend": 3, "millionen": 6, "milliarden": 9, "mio": 6, "mrd": 9}
_ORDER = re.compile(
    r"\b(?:order(?:ed)?|sequence|respectively|rank(?:ed|ing)?|chronological(?:ly)?|reihenfolge|first to last|"
    r"from (?:first|the (?:larg|small|old|young|high|low)\w+ to))\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"\b(?:who|what|which|wer|was|welche) (?:are|were|sind|waren)\b|\b(?:which|what|name|list|the|both|these|welche) "
    r"(?:of the )?(?:two|three|four|five|both|zwei|drei|vier)\b|\bboth\b|\bnames of\b|\b(?:which|what) (?!(?:was|is|"
    r"does|has|this|process|class|bus|gas|species|series|news)\b)[a-z]+(?<!ss)s\b",
    re.IGNORECASE,
)


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


@lru_cache(maxsize=1 << 12)
def asked(question: str) -> Asked:
    """Return what a question states about its answer.

    >>> asked("What is the capital expenditure (in USD millions)?").scale, asked("How many miles is it?").unit.name
    (Fraction(1000000, 1), 'mile')
    >>> asked("How many players are in a team?").counts, asked("What are the names of both parents?").several
    (True, True)
    """
    text = fold(question[:_LONGEST])
    unit = None
    for match in _UNIT.finditer(text):
        words = tokens(next(group for group in match.groups() if group))
        result = scan_unit(words, 0)
        if result is not None and result[1] == len(words.low) and result[0].dimension != SHARE:
            unit = result[0]
    scale = _SCALE.search(text)
    power = 0
    if scale is not None:
        power = SCALES.get(scale[1].lower()) or _GERMAN_SCALES[scale[1].lower()]
    return Asked(
        counts=unit is None and _COUNTS.search(text) is not None,
        share=_SHARE.search(text) is not None,
        identifier="version" if _VERSION.search(text) else "code" if _CODE.search(text) else "",
        scale=Fraction(10**power),
        unit=unit,
        ordered=_ORDER.search(text) is not None,
        several=_SEVERAL.search(text) is not None,
    )
