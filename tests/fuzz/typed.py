"""Typed values: any two texts are compared without an error, alike in both orders, and quickly."""

from __future__ import annotations

import random
from collections.abc import Iterator

from answersim.typed import compare, parse
from tests.fuzz import odd
from tests.fuzz.area import Checked, Round, area, at_most

PIECES = (
    "1 2 19 1,000 1.5 / - – . , : ; ' \" ( ) $ € % ° C F m km ft and und to bis March März 1980s century st nd BC pm "
    "o'clock half past quarter twenty hundred million Millionen thousand a one eins elf und zwanzig first J. Kennedy "
    "Dr. Louis XIV II no yes n/a about ~ # ½ ² １ ٣ dozen couple score point e ^ x 10 old per square sq cubic"
).split(" ")
LONGEST = 1.0  # seconds for one comparison on a busy machine; a usual one takes 50 microseconds


def text(rng: random.Random) -> str:
    """Return a text of pieces of values; sometimes one of them many times, and sometimes an odd one."""
    if rng.random() < 0.1:
        return odd.text(rng)
    if rng.random() < 0.1:
        return (rng.choice(PIECES) + rng.choice(("", " "))) * rng.choice((30, 300, 30_000))
    return ("" if rng.random() < 0.2 else " ").join(rng.choice(PIECES) for _ in range(rng.randrange(12)))


@area(
    "typed values", "any two texts are compared, never equal in one order and different in the other, each within 1 s"
)
def typed_values() -> Iterator[Round]:
    def make_round(rng: random.Random) -> Checked:
        failed = []
        for _ in range(200):
            one, other, lang = text(rng), text(rng), rng.choice(("en", "de"))
            with at_most(4 * LONGEST):
                relations = {compare(one, other, lang).relation, compare(other, one, lang).relation}
                itself, parsed = compare(one, one, lang).relation, parse(one, lang)
            if relations == {"equal", "different"}:
                failed.append(f"{one!r} and {other!r} ({lang}) are {relations}")
            if (itself == "equal") != (parsed is not None):
                failed.append(f"{one!r} ({lang}) is {itself} to itself, and is read as {parsed}")
        return 400, failed

    yield make_round
