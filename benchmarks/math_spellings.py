"""How many public spellings of formulas are read: the same value in dollar signs, with units, with spacing commands ...

    python -m benchmarks.math_spellings --format csv --output benchmarks/results/math-spellings.csv

The values are those of ``benchmarks.math_pairs`` and drawn ones of ten forms, at least 500 for each spelling. The
spellings are conventions of public sets and of models. Each value is compared with itself in each spelling that it can
have, and with another value in the same spelling, by ``answers.relation.relate``.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from answersim.answers.relation import relate
from benchmarks.math_pairs import SEED, constructed
from benchmarks.options import FORM, OUTPUT, run_program, show
from benchmarks.tables import Format, Table

VALUES = 560  # drawn gold answers of each form
MOST = 600  # values of a spelling
OTHER_SEED = 7  # of the second draw

Spell = Callable[[str], "str | None"]


class Made(NamedTuple):
    """A value and another one of the same family, as they are written in the set."""

    value: str
    other: str


class SpellingRow(NamedTuple):
    """The relations of one spelling."""

    spelling: str  # its name
    example: str  # a value in it
    values: int  # values that can have it
    equal: int  # of these, how many are equal to themselves in this spelling
    others: int  # other values that can have it
    wrong: int  # of these, how many are called equal


def _sub(pattern: str, replacement: str) -> Spell:
    """Return a spelling that replaces a pattern; None for a text without it."""
    expression = re.compile(pattern)

    def spell(text: str) -> str | None:
        changed = expression.sub(lambda match: match.expand(replacement), text)
        return None if changed == text else changed

    return spell


def _around(before: str, after: str) -> Spell:
    return lambda text: None if "$" in text or r"\boxed" in text else f"{before}{text}{after}"


def _measured(unit: str) -> Spell:
    """Return a spelling that adds a unit to a plain number, a fraction or a root."""
    return lambda text: (
        f"{text}{unit}" if re.fullmatch(r"-?(?:\d+|\\frac\{\d+\}\{\d+\}|\d*\\sqrt\{\d+\})", text) else None
    )


def _grouped(sign: str) -> Spell:
    """Return a spelling of whole numbers from 1,000 on with another sign between thousands."""
    return lambda text: f"{int(text):,}".replace(",", sign) if re.fullmatch(r"\d{4,}", text) else None


def _chained(text: str) -> str | None:
    """Return a number as the result of a sum."""
    return f"m + n = {int(text) - 7} + 7 = {text}" if re.fullmatch(r"\d{2,5}", text) else None


SPELLINGS: dict[str, Spell] = {
    "dollars": _around("$", "$"),
    "blanks in dollars": _around("$ ", " $"),
    "blank before the second dollar": _around("$", " $."),
    "two dollars": _around("$$ ", " $$"),
    "round brackets": _around(r"\( ", r" \)"),
    "square brackets": _around("\\[\n", "\n\\]"),
    "box": _around(r"\boxed{", "}"),
    "box in dollars, period": _around(r"$\boxed{", "}$."),
    "box with blanks": _around(r"\boxed{ ", " }"),
    "bold": _around("**", "**"),
    "display style": _around(r"\displaystyle ", ""),
    "doubled backslashes": _sub(r"\\", r"\\\\"),
    "dfrac": _sub(r"\\frac", r"\\dfrac"),
    "fractions without braces": _sub(r"\\frac\{(\d)\}\{(\d)\}", r"\\frac\1\2"),
    "fractions with blanks": _sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"\\frac{ \1 } { \2 }"),
    "blanks between signs": _sub(r"(?<=[\w)}\]])([-+*/=^])(?=[\w\\({])", r" \1 "),
    "no blanks": _sub(r"(?<=[^A-Za-z,&\d]) (?=[^A-Za-z&])", ""),
    "left and right": _sub(r"(?<!left)(?<!\\)\(([^()]*)(?<!right)\)", r"\\left(\1\\right)"),
    "thousands with ,\\!": _grouped(r",\!"),
    "thousands with ,\\! and a blank": _grouped(r",\! "),
    "thousands with \\,": _grouped(r"\,"),
    "thousands with {,}": _grouped("{,}"),
    "text unit": _measured(r" \text{ cm}"),
    "text unit without a blank": _measured(r"\text{ hours}"),
    "roman unit": _measured(r"~\mathrm{m/s}"),
    "root without braces": _sub(r"\\sqrt\{(\d)\}", r"\\sqrt\1"),
    "powers with **": _sub(r"(?<=[\w)])\^(?=\d)", "**"),
    "powers in braces": _sub(r"\^(\d)(?!\d)", r"^{\1}"),
    "sign of multiplication": _sub(r"\\cdot|\\times", "×"),
    "minus sign": _sub("-", "−"),
    "result of a chain": _chained,
}


FORMS: tuple[Callable[[random.Random], str], ...] = (
    lambda rng: str(rng.randrange(1000, 10**7)),
    lambda rng: str(rng.randrange(17, 10**5)),
    lambda rng: rf"\frac{{{rng.randrange(1, 10)}}}{{{rng.randrange(2, 10)}}} + {rng.randrange(2, 99)}x",
    lambda rng: rf"\frac{{{rng.randrange(11, 99)}}}{{{rng.choice((7, 13, 17, 19, 23, 29))}}}",
    lambda rng: rf"{rng.randrange(2, 99)} - {rng.randrange(2, 30)}\sqrt{{{rng.choice((2, 3, 5, 6, 7))}}}",
    lambda rng: rf"({rng.randrange(-99, 99)}, {rng.randrange(2, 99)})",
    lambda rng: f"(x - {rng.randrange(1, 99)})(x + {rng.randrange(1, 99)})",
    lambda rng: f"{rng.randrange(2, 9)}x^2-{rng.randrange(2, 99)}x+{rng.randrange(1, 99)}",
    lambda rng: rf"{rng.randrange(11, 99)} \{rng.choice(('cdot', 'times'))} 10^{rng.randrange(2, 9)}",
    lambda rng: rf"{rng.randrange(2, 999)}\pi",
)


def values(n: int = VALUES, seed: int = SEED) -> list[Made]:
    """Return values with another value of the same family: those of ``math_pairs``, and n of each form."""
    rng = random.Random(seed)
    drawn = [pair for pair in (*constructed(SEED), *constructed(OTHER_SEED)) if not pair.equal]
    clean = [pair for pair in drawn if "$" not in pair.gold.replace(r"\$", "") and "boxed" not in pair.gold]
    made = [Made(pair.gold, re.sub(r"\A\\boxed\{(.*)\}\Z", r"\1", pair.pred.strip("$"))) for pair in clean]
    for form in FORMS:
        texts = list(dict.fromkeys(form(rng) for _ in range(3 * n)))[: n + 1]
        made += [Made(*pair) for pair in pairwise(texts)]
    rng.shuffle(made)
    return made


def rows(made: list[Made]) -> Iterator[SpellingRow]:
    """Yield one row per spelling."""
    for name, spell in SPELLINGS.items():
        pairs = [(entry.value, text) for entry in made if (text := spell(entry.value)) is not None][:MOST]
        others = [(entry.value, text) for entry in made if (text := spell(entry.other)) is not None][:MOST]
        equal = sum(relate(*pair).relation == "equal" for pair in pairs)
        wrong = sum(relate(*pair).relation == "equal" for pair in others)
        yield SpellingRow(name, pairs[0][1], len(pairs), equal, len(others), wrong)


def main(form: Format = FORM, output: Path | None = OUTPUT) -> None:
    """Print for each spelling how many values are equal to themselves in it, and how many other values are."""
    listed = list(rows(values()))
    columns = ("spelling", "example", "values", "equal", "share", "other values", "called equal")
    lines = [
        (
            row.spelling,
            row.example.replace("\n", " "),
            row.values,
            row.equal,
            row.equal / row.values,
            row.others,
            row.wrong,
        )
        for row in listed
    ]
    show([Table.of("Spellings of formulas", columns, lines)], listed, form, output)


if __name__ == "__main__":
    run_program(main)
