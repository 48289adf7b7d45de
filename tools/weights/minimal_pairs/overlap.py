"""Rows that would repeat a pair of a labeled or training set: found with the sets, left out without them.

    python -m tools.weights.minimal_pairs.overlap

The program needs the sets below ``$ANSWERSIM_DATA``. It adds a digest of each pair that a row repeats to
``sources/excluded.txt``. The rules and couples of such pairs are then left out on every machine, and no text of a set
is in the tree. Afterwards, write the rows again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

import typer

from answersim.data import load
from answersim.data.labeled import read_csv
from answersim.data.minimal_pairs import ProbeRow, rows
from answersim.data.system_answers import load_efficientqa, load_evouna, locate
from answersim.runtime.cli_errors import user_errors

EXCLUDED = Path(__file__).parent / "sources" / "excluded.txt"
NUMBERS, NAMES = "numbers/number_pairs_score.csv", "names/name_pairs_score_split.csv"

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command(help=__doc__)
def main() -> None:
    """Add the digests of repeated pairs to the list."""
    with user_errors():
        found = repeated(rows(), labeled_pairs())
    digests = sorted(excluded() | {digest(row.gold, row.candidate) for row in found})
    EXCLUDED.write_text("".join(f"{line}\n" for line in digests), encoding="utf-8")
    excluded.cache_clear()
    typer.echo(f"{len(found)} rows repeat a pair of a set; {len(digests)} pairs are left out: {EXCLUDED}")


def digest(gold: str, candidate: str) -> str:
    """Return a digest of a pair of answers that ignores their order and their case.

    >>> digest("Rome", "Paris") == digest("PARIS", "rome")
    True
    """
    text = "\n".join(sorted((gold.casefold(), candidate.casefold())))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


@lru_cache
def excluded() -> frozenset[str]:
    """Return the digests of the pairs that are left out."""
    return frozenset(EXCLUDED.read_text("utf-8").split() if EXCLUDED.is_file() else ())


def repeated(table: Iterable[ProbeRow], pairs: Iterable[tuple[str, str]]) -> list[ProbeRow]:
    """Return the rows whose gold answer and candidate are one of these pairs, in either order and any case."""
    known = {frozenset((first.casefold(), second.casefold())) for first, second in pairs}
    return [row for row in table if frozenset((row.gold.casefold(), row.candidate.casefold())) in known]


def labeled_pairs() -> Iterator[tuple[str, str]]:
    """Yield the pairs of the sets of the SAS paper, of EVOUNA and EfficientQA, and of the number and name pairs.

    Raise DatasetNotFoundError if a set is not there.
    """
    for name in ("squad", "germanquad", "nq-open"):
        for cleaning in ("none", "recorded"):
            yield from load(name, cleaning=cleaning).pairs
    for answer in (*load_evouna(), *load_efficientqa(certain=False)):
        yield from ((gold, answer.answer) for gold in answer.golds)
    yield from ((row["number1"], row["number2"]) for row in read_csv(locate(NUMBERS)))
    yield from ((row["name1"], row["name2"]) for row in read_csv(locate(NAMES)))


if __name__ == "__main__":
    app()
