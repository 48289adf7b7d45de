"""Build a file of pairs from a table of names and aliases, for ``answersim train names --pairs``.

python -m tools.pairs.of_aliases people.csv --variants initials,inverted --output pairs.csv
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from answersim._base.runtime.cli_errors import user_errors
from answersim._base.runtime.option_groups import listed
from answersim.training.data.pairs import write_pairs
from benchmarks.options import run_program
from tools.pairs import alias_tables
from tools.pairs.alias_pairs import RULES, AliasPairConfig, alias_pairs

_RULES = f"Rules that add spellings, separated by commas: {', '.join(RULES)}."


def main(
    table: Annotated[Path, typer.Argument(help="A CSV file with the columns entity, alias and optionally group.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file of pairs, .csv or .tsv.")],
    separator: Annotated[str | None, typer.Option(help="The separator of aliases in one cell.")] = None,
    group: Annotated[str | None, typer.Option(help="Only entities of these groups, separated by commas.")] = None,
    most_spellings: Annotated[int, typer.Option(min=0, help="Entities with more are left out; 0: none is.")] = 3,
    rules: Annotated[str | None, typer.Option("--variants", help=_RULES)] = None,
    k: Annotated[int, typer.Option(min=1, help="Random partners of each name, for a teacher.")] = 1,
    seed: Annotated[int, typer.Option(help="The random seed.")] = 0,
) -> None:
    """Write aliases and spelling variants with the label 1, and random pairs without a label, split by entity.

    A teacher of ``answersim train names --pairs FILE --keep-split`` labels the random pairs.
    """
    with user_errors():
        groups, chosen = (tuple(listed([text or ""])) for text in (group, rules))
        config = AliasPairConfig(groups=groups, most_spellings=most_spellings, rules=chosen, rounds=k)
        entities = alias_tables.read_aliases(table, separator)
        pairs, dropped = alias_pairs(entities, config, np.random.default_rng([seed, 1]))
        write_pairs(pairs, output)
        sources = ", ".join(f"{n:,} {name}" for name, n in Counter(pair.source for pair in pairs).items())
        left_out = f"; left out: {dropped:,} entities with too many spellings (--most-spellings)" if dropped else ""
        typer.echo(f"written: {output}, {len(pairs):,} pairs: {sources}{left_out}")


if __name__ == "__main__":
    run_program(main)
