"""The speed of ``typed``, and the longest time that one hostile answer takes.

    python -m benchmarks.speed typed
    python -m benchmarks.speed typed --repetitions 3 --format json

The pairs are those of the NQ-open set of the SAS paper if ``--folder`` or $ANSWERSIM_DATA has them, else synthetic
pairs of that length. They are measured all together, with four in five of the typed gold answers left out, and with
typed gold answers only. Readings are not remembered from one repetition to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import typer

import answersim
from answersim.runtime.cli_errors import user_errors
from answersim.typed import reading
from answersim.types import Pair
from benchmarks.options import FOLDER, FORM, OUTPUT, show
from benchmarks.speed_lexical import short_pairs
from benchmarks.speed_rows import CLOCK, Clocks
from benchmarks.tables import Format, Table

SIZE = 3658
_EVERY = 5  # of the pairs with a typed gold answer, this one is in the set of mostly untyped answers
# Texts that make careless grammars slow: long numbers, repeated beginnings of values, nesting, many separators.
HOSTILE = (
    *("1" * 1000, "1" * 199, "1," * 99, "1,111" * 39, "5 m" + "/s" * 95, "-" * 200, "and " * 49, "twenty " * 28),
    *("one hundred and " * 12, "5 (" * 40 + ")" * 40, "million " * 25, "1 to " * 39, "hundert" * 28, "March 4, " * 22),
    *("1/" * 99, "1:" * 99, "½" * 200, "$€£" * 66, "\ufdfa" * 200, "²" * 200, "J. " * 66, "a;" * 99, "1 000" * 39),
    *("1987 " * 20_000, "9" * 100_000, "January " * 5000, "twenty " * 5000, "between 1 and " * 300, "5 m per " * 500),
    *(" " * 4000, "\u00a0" * 4000, "-" * 4000, "$" * 4000, "'" * 4000, "one " * 1000, "the square of 3 " * 250),
)


class TypedSpeed(NamedTuple):
    """The speed of ``typed`` for some pairs."""

    pairs: str  # which pairs
    n: int  # their number
    typed: float  # the share whose gold answer is a typed value
    per_second: float  # pairs per second, the median of the repetitions
    base_per_second: float  # the same of the base metric alone
    longest_ms: float | None = None  # the longest time of one pair; None if it is not measured


def main(
    size: int = typer.Option(SIZE, min=1, help="The number of pairs of NQ-open."),
    repetitions: int = typer.Option(5, min=1, help="The number of measurements of each."),
    folder: Path | None = FOLDER,
    clock: Clocks = CLOCK,
    form: Format = FORM,
    output: Path | None = OUTPUT,
) -> None:
    """Pairs per second of typed and of recall alone, and the longest time of a hostile pair, on one thread."""
    with user_errors():
        measured = rows(size, repetitions, folder, clock)
    columns = ("pairs", "n", "typed gold answers", "typed, pairs/s", "recall, pairs/s", "longest pair (ms)")
    shown = Table.of("Typed values", columns, (tuple(row) for row in measured), _notes(clock))
    show([shown], measured, form, output)


def rows(
    size: int = SIZE, repetitions: int = 5, folder: Path | None = None, clock: Clocks = Clocks.processor
) -> list[TypedSpeed]:
    """Return one row per kind of pairs: all, mostly untyped gold answers, typed ones only, and hostile ones."""
    pairs = short_pairs(size, folder)
    typed = [bool(reading.readings(pair.gold, "en")) for pair in pairs]
    at = np.cumsum(typed)
    mostly = [pair for pair, is_typed, i in zip(pairs, typed, at, strict=True) if not is_typed or i % _EVERY == 0]
    only = [pair for pair, is_typed in zip(pairs, typed, strict=True) if is_typed]
    kinds = {"NQ-open": pairs, "mostly untyped": mostly, "typed only": only}
    found = [_speed(name, chosen, repetitions, clock.clock) for name, chosen in kinds.items() if chosen]
    hostile = [Pair(*pair) for text in HOSTILE for pair in ((text, "11"), ("11", text), ("March 4, 1865", text))]
    row = _speed("hostile", hostile, 1, clock.clock)
    return [*found, row._replace(longest_ms=max(_seconds([pair], "typed", clock.clock) for pair in hostile) * 1000)]


def _speed(name: str, pairs: Sequence[Pair], repetitions: int, clock: Callable[[], float]) -> TypedSpeed:
    taken = np.array(
        [[_seconds(pairs, metric, clock) for metric in ("typed", "recall")] for _ in range(repetitions + 1)]
    )
    ours, base = len(pairs) / np.maximum(np.median(taken[1:], axis=0), 1e-9)  # the first round is not counted
    share = float(np.mean([bool(reading.readings(pair.gold, "en")) for pair in pairs]))
    return TypedSpeed(name, len(pairs), share, round(float(ours)), round(float(base)))


def _seconds(pairs: Sequence[Pair], metric: str, clock: Callable[[], float]) -> float:
    built = answersim.metric(metric)
    reading.forget()
    start = clock()
    built(pairs)
    return clock() - start


def _notes(clock: Clocks) -> tuple[str, ...]:
    return (
        f"seconds of {clock.description}; medians of repetitions after a first one that is not counted; one thread",
        "typed is typed+recall; readings are forgotten before each repetition",
    )
