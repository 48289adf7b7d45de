"""Typed values: any two texts are compared without an error, alike in both orders, and in linear time."""

import random
import sys
from collections.abc import Callable, Iterator
from functools import cache

from answersim.answers.typed import compare, parse, reading
from answersim.answers.typed.math.formula import read_formula
from answersim.answers.typed.math.notation import LONGEST_FORMULA
from answersim.answers.typed.tokens import LONGEST_TEXT, fold, matches
from answersim.answers.typed.vocabulary import rows
from tests.fuzz import odd
from tests.fuzz.area import Checked, Round, area, at_most

PIECES = (
    "1 2 19 1,000 1.5 / - – . , : ; ' \" ( ) $ € % ° C F m km ft and und to bis March März 1980s century st nd BC pm "
    "o'clock half past quarter twenty hundred million Millionen thousand a one eins elf und zwanzig first J. Kennedy "
    "Dr. Louis XIV II no yes n/a about ~ # ½ ² １ ٣ dozen couple score point e ^ x 10 old per square sq cubic oh over "
    "fell cubed root of half power 6/8 02134 3.10 '69 7/4/76 0.66 dollar cents Cent Mile kWh MJ Pfund ton Milliarde X "
    "Chris Christine red, left, 6-4, & Law Order but \\frac \\sqrt \\text{cm} \\pi \\left( \\right) \\{ \\} { } [ ] _ "
    "= < > \\le + * | \\pm \\cup \\infty \\begin{pmatrix} \\end{pmatrix} \\\\ \\boxed{ \\% \\$ \\circ ! xy sin \\log "
    "{,} ± √ ≤ π $x$ (1,2) x^2 \\frac12"
).split(" ")
LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "ru", "zh", "ja")
PIECES += [" ", "\u00a0", "\t", "\n", "\u3000", "\u2009"]
LONGEST = 1.0  # seconds for one comparison on a busy machine; a usual one takes 50 microseconds


GROWTH = 1.5  # a longer text needs at most this many times the steps that are in proportion to it


def calls(run: Callable[[], object]) -> int:
    """Return how many Python functions a call calls, if no reading is kept in memory."""
    reading.forget()
    count = 0

    def tracer(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(tracer)
    try:
        run()
    finally:
        sys.setprofile(before)
    return count


def growth(piece: str, gold: str, lang: str) -> str:
    """Return a message if a text of this piece needs more than linear time, else "".

    Steps of Python are counted. A regular expression is linear if each match begins where the one before it ended.
    """
    runs: dict[tuple[int, int], Callable[[str], object]] = {
        (LONGEST_FORMULA // 4, LONGEST_FORMULA): read_formula,
        (LONGEST_FORMULA + 1, LONGEST_TEXT): lambda text: compare(gold, text, lang),
    }
    for (short, long), run in runs.items():
        steps = [calls(lambda n=n: run((piece * n)[:n])) for n in (short, long)]  # noqa: B023  (called at once)
        if steps[1] > GROWTH * steps[0] * long / short + 100:
            return f"{piece!r} repeated needs {steps[0]} calls for {short} characters, and {steps[1]} for {long}"
    folded = fold((piece * LONGEST_TEXT)[:LONGEST_TEXT])
    if "".join(space + word for space, word in matches(folded)) != folded:
        return f"{piece!r} repeated is searched for a token at more than one place"
    return ""


@cache
def words(lang: str) -> list[str]:
    """Return the words for values in a language, and those of all languages."""
    listed = [row for table in ("words", "cldr") for row in rows(table) if row.language in (lang, "*")]
    return [word for row in listed for word in row.words]


def text(rng: random.Random, lang: str) -> str:
    """Return a text of pieces and words of values; sometimes one of them many times, and sometimes an odd one."""
    if rng.random() < 0.1:
        return odd.text(rng)
    if rng.random() < 0.1:
        return (rng.choice(PIECES) + rng.choice(("", " "))) * rng.choice((30, 300, 30_000))
    return ("" if rng.random() < 0.2 else " ").join(
        rng.choice(words(lang) if rng.random() < 0.4 else PIECES) for _ in range(rng.randrange(12))
    )


@area(
    "typed values",
    "any two texts are compared in linear time and within 1 s, never equal in one order and different in the other",
)
def typed_values() -> Iterator[Round]:
    def make_round(rng: random.Random) -> Checked:
        pieces = rng.choice(PIECES) + rng.choice(("", " ", *PIECES))
        grown = growth(pieces, rng.choice(("12", "12 liters", "July 4, 1776", "$5")), rng.choice(("en", "de")))
        failed = [grown] if grown else []
        for _ in range(200):
            lang = rng.choice(LANGUAGES)
            first, second = text(rng, lang), text(rng, lang)
            with at_most(4 * LONGEST):
                relations = {compare(first, second, lang).relation, compare(second, first, lang).relation}
                itself, parsed = compare(first, first, lang).relation, parse(first, lang)
            if relations == {"equal", "different"}:
                failed.append(f"{first!r} and {second!r} ({lang}) are {relations}")
            if (itself == "equal") != (parsed is not None):
                failed.append(f"{first!r} ({lang}) is {itself} to itself, and is read as {parsed}")
        return 401, failed

    yield make_round
