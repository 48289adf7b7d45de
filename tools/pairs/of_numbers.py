"""Build a file of pairs of numbers in digits and words, for ``answersim train names --pairs``.

python -m tools.pairs.of_numbers --lang en,de --output pairs.csv
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from answersim._base.runtime.cli_errors import user_errors
from answersim.training.data.pairs import write_pairs
from answersim.training.run.options import listed
from benchmarks.number_pairs import NumberPairConfig, number_pairs


def main(
    output: Annotated[Path, typer.Option("--output", "-o", help="The file of pairs, .csv or .tsv.")],
    lang: Annotated[str, typer.Option(help="Languages of the words, separated by commas.")] = "en,de",
    kinds: Annotated[
        str | None, typer.Option(help="Some of cardinal, ordinal, year, decimal, range, roman. Default: all but roman.")
    ] = None,
    size: Annotated[int, typer.Option(min=0, help="The number of pairs. 0: as many as in the paper, 9,110.")] = 0,
    seed: Annotated[int, typer.Option(help="The random seed.")] = 0,
) -> None:
    """Write numbers in digits and words with the label 1, and neighboring numbers with the label 0, split by number."""
    with user_errors():
        given: dict[str, Any] = {"languages": listed(lang), "kinds": listed(kinds), "size": size}
        pairs = number_pairs(NumberPairConfig(seed=seed, **{name: value for name, value in given.items() if value}))
        write_pairs(pairs, output)
        typer.echo(f"written: {output}, {len(pairs):,} pairs")


if __name__ == "__main__":
    typer.run(main)
