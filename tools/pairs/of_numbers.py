"""Build a file of pairs of numbers in digits and words, for ``answersim train names --pairs``.

python -m tools.pairs.of_numbers --lang en,de --output pairs.csv
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from answersim._base.runtime.cli_errors import user_errors
from answersim._base.runtime.option_groups import listed
from answersim.training.data.pairs import write_pairs
from benchmarks.number_pairs import PAPER_SIZE, NumberPairConfig, number_pairs
from benchmarks.options import run_program


def main(
    output: Annotated[Path, typer.Option("--output", "-o", help="The file of pairs, .csv or .tsv.")],
    lang: Annotated[str, typer.Option(help="Languages of the words, separated by commas.")] = "en,de",
    size: Annotated[int, typer.Option(min=1, help="The number of pairs. Default: that of the paper.")] = PAPER_SIZE,
    seed: Annotated[int, typer.Option(help="The random seed.")] = 0,
) -> None:
    """Write numbers in digits and words with the label 1, and neighboring numbers with the label 0, split by number."""
    with user_errors():
        pairs = number_pairs(NumberPairConfig(tuple(listed([lang])), size, seed=seed))
        write_pairs(pairs, output)
        typer.echo(f"written: {output}, {len(pairs):,} pairs")


if __name__ == "__main__":
    run_program(main)
