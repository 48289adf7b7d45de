"""Compare the kind ``math`` of typed values with the package math-verify, in one run on the same pairs.

    pip install 'math-verify[antlr4_13_2]==0.9.0'
    python -m benchmarks.math_verify --format csv --output benchmarks/results/math-verify.csv

The pairs are those of ``benchmarks.math_pairs``: made by construction with the answer known, and written by hand. Both
libraries get the same texts. math-verify reads formulas in dollar signs, so each text is given to it in dollar signs,
and as it is if that is not read. Speed is CPU time of one thread with empty caches, the median of the repetitions.
"""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import typer

from answersim.answers.typed import compare, reading
from benchmarks.math_pairs import EACH, SEED, MathPair, by_hand, constructed
from benchmarks.options import FORM, OUTPUT, run_program, write_out
from benchmarks.tables import Cell, Format, Table, records, render

NUMBERS = ("fractions", "integers")
REPETITIONS = 3
_WARM_UP = 5

Decide = Callable[[str, str], str]


def rewards(golds: Sequence[str], completions: Sequence[str], questions: Sequence[str]) -> list[float]:
    """Return what Math-Verify accepts, as in ``answersim doctor reward benchmarks.math_verify:rewards``.

    Raise ImportError if math-verify is not installed.
    """
    from math_verify import parse, verify

    pairs = zip(golds, completions, strict=True)
    return [float(verify(parse(f"${gold}$"), parse(completion))) for gold, completion in pairs]


class Quality(NamedTuple):
    """The decisions of a library on pairs with a known answer."""

    name: str  # the library
    pairs: str  # which pairs
    accepted: int  # equal pairs that it calls equal
    equal: int  # equal pairs
    refused: int  # equal pairs that it calls different
    wrong: int  # different pairs that it calls equal
    different: int  # different pairs
    undecided: int  # pairs without an opinion

    @property
    def right(self) -> int:
        """Equal pairs that are accepted, and different pairs that are not."""
        return self.accepted + self.different - self.wrong


def ours(gold: str, pred: str) -> str:
    """Return the decision of ``answersim.answers.typed``: "equal", "different" or "" for no opinion."""
    relation = compare(gold, pred).relation
    return relation if relation in ("equal", "different") else ""


def parsed_text(text: str) -> Any:
    """Return what math-verify reads in a text: in dollar signs, or as it is; empty if it reads nothing."""
    from math_verify import parse

    return parse(text if "$" in text else f"${text}$") or parse(text)


def theirs() -> Decide:
    """Return the decision of math-verify as a function. Raise ImportError if it is not installed."""
    from math_verify import verify

    def decide(gold: str, pred: str) -> str:
        golds, preds = parsed_text(gold), parsed_text(pred)
        if not golds or not preds:
            return ""
        return "equal" if verify(golds, preds) else "different"

    return decide


def quality(name: str, pairs: Sequence[MathPair], which: str, decide: Decide) -> Quality:
    """Return how a library decides these pairs."""
    decisions = [decide(pair.gold, pair.pred) for pair in pairs]
    counted = [(pair.equal, decision) for pair, decision in zip(pairs, decisions, strict=True)]
    return Quality(
        name,
        which,
        counted.count((True, "equal")),
        sum(equal for equal, _ in counted),
        counted.count((True, "different")),
        counted.count((False, "equal")),
        sum(not equal for equal, _ in counted),
        decisions.count(""),
    )


def per_second(pairs: Sequence[MathPair], decide: Decide, repetitions: int) -> float:
    """Return the number of pairs per second of CPU time, the median of the repetitions."""
    for pair in pairs[:_WARM_UP]:
        decide(pair.gold, pair.pred)
    seconds = []
    for _ in range(repetitions):
        reading.forget()
        start = time.process_time()
        for pair in pairs:
            decide(pair.gold, pair.pred)
        seconds.append(time.process_time() - start)
    return len(pairs) / statistics.median(seconds)


def in_a_thread(decide: Decide) -> str:
    """Return "yes" if a library decides a pair in a thread that is not the main one, else the name of the error."""
    results: list[str] = []

    def run() -> None:
        try:
            results.append("yes" if decide(r"\frac12", "0.5") == "equal" else "no")
        except Exception as error:  # any error of the other library is a result
            results.append(type(error).__name__)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return results[0]


def tables(each: int, repetitions: int) -> Iterator[Table]:
    """Yield the decisions on constructed and on written pairs, the speed, and the right decisions by family."""
    made, hand = constructed(each=each), by_hand()[: 3 * each]
    libraries: dict[str, Decide] = {"answersim": ours}
    try:
        libraries[f"math-verify {version('math-verify')}"] = theirs()
    except (ImportError, PackageNotFoundError):
        typer.echo("math-verify is not installed: pip install 'math-verify[antlr4_13_2]==0.9.0'", err=True)
    decided = [quality(name, pairs, which, decide) for which, pairs in (("constructed", made), ("by hand", hand))
               for name, decide in libraries.items()]  # fmt: skip
    columns = ("pairs", "library", "right", "equal, accepted", "equal, called different", "different, accepted",
               "no opinion")  # fmt: skip
    rows: list[tuple[Cell, ...]] = [
        (row.pairs, row.name, f"{row.right} of {row.equal + row.different}", f"{row.accepted} of {row.equal}",
         row.refused, f"{row.wrong} of {row.different}", row.undecided)
        for row in decided
    ]  # fmt: skip
    yield Table.of("Decisions", columns, rows, (f"seed {SEED}, {each} pairs of each family",))
    kinds = [[pair for pair in made if (pair.family in NUMBERS) == is_number] for is_number in (True, False)]
    speeds: list[tuple[Cell, ...]] = [
        (
            name,
            *(f"{per_second(pairs, decide, repetitions):,.0f}" for pairs in kinds),
            in_a_thread(decide),
        )
        for name, decide in libraries.items()
    ]
    notes = (f"CPU time of one thread, empty caches, the median of {repetitions} repetitions",)
    yield Table.of("Pairs per second", ("library", "numbers", "formulas", "in a thread"), speeds, notes)
    by_family: list[tuple[Cell, ...]] = []
    for family in dict.fromkeys(pair.family for pair in made):
        pairs = [pair for pair in made if pair.family == family]
        right = (quality(name, pairs, family, decide).right for name, decide in libraries.items())
        by_family.append((family, len(pairs), *right))
    yield Table.of("Decided rightly by family", ("family", "pairs", *libraries), by_family)


def main(
    each: int = typer.Option(EACH, min=2, max=EACH, help="pairs of each family, and three times as many by hand"),
    repetitions: int = typer.Option(REPETITIONS, min=1, help="of the measurement of speed"),
    form: Format = FORM,
    output: Path | None = OUTPUT,
) -> None:
    """Compare the kind math of typed values with math-verify on the same pairs."""
    found = list(tables(each, repetitions))
    write_out(render(found, [record for table in found for record in records(table)], form.value), output)


if __name__ == "__main__":
    run_program(main)
