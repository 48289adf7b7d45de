"""Build a file of pairs from a table of names and aliases, for ``answersim train names --pairs``.

python -m tools.pairs.of_aliases people.csv --variants initials,inverted --output pairs.csv
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from answersim._base.errors import unknown
from answersim._base.runtime.cli_errors import user_errors
from answersim.metrics.checkpoints import search
from answersim.training.data.pairs import TrainingPair, write_pairs
from answersim.training.run.artifact import BASE
from answersim.training.run.options import listed
from tools.pairs import alias_tables, variants
from tools.pairs.alias_pairs import AliasPairConfig, alias_pairs
from tools.pairs.sampling import Sampling, sample

FORMATS = ("csv", "legislators")
_RULES = f"Rules that add spellings, separated by commas: {', '.join((*variants.RULES, *variants.ERRORS))}."


def main(
    table: Annotated[Path, typer.Argument(help="A CSV file with the columns entity, alias and optionally group.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file of pairs, .csv or .tsv.")],
    format: Annotated[str, typer.Option(help="The format of the table: csv or legislators.")] = "csv",
    separator: Annotated[str | None, typer.Option(help="The separator of aliases in one cell of a CSV table.")] = None,
    group: Annotated[str | None, typer.Option(help="Only entities of these groups, separated by commas.")] = None,
    most_spellings: Annotated[int, typer.Option(min=0, help="Entities with more are left out; 0: none is.")] = 3,
    rules: Annotated[str | None, typer.Option("--variants", help=_RULES)] = None,
    sampling: Annotated[str, typer.Option(help="Which pairs a teacher labels: random, bm25 or semantic.")] = "random",
    k: Annotated[int, typer.Option(min=1, help="Sampled partners of each text.")] = 1,
    both_orders: Annotated[bool, typer.Option(help="Sample every pair in both orders.")] = False,
    base: Annotated[str, typer.Option(help="For semantic sampling: an encoder, by name or folder.")] = BASE,
    seed: Annotated[int, typer.Option(help="The random seed.")] = 0,
) -> None:
    """Write aliases and spelling variants with the label 1, and sampled pairs without a label, split by entity.

    A teacher of ``answersim train names --pairs FILE --keep-split`` labels the sampled pairs.
    """
    with user_errors():
        at_random = sampling == "random" and not both_orders
        chosen = Sampling(sampling, k, both_orders)
        config = AliasPairConfig(
            groups=listed(group), most_spellings=most_spellings, rules=listed(rules), rounds=k if at_random else 0
        )
        built = alias_pairs(entities(table, format, separator), config, np.random.default_rng([seed, 1]))
        pairs: list[TrainingPair] = list(built.pairs)
        if not at_random:
            pairs += sample(pairs, chosen, np.random.default_rng([seed, 2]), encoder(base))
        write_pairs(pairs, output)
        sources = ", ".join(f"{n:,} {name}" for name, n in Counter(pair.source for pair in pairs).items())
        dropped = built.counts.dropped
        left_out = f"; left out: {dropped:,} entities with too many spellings (--most-spellings)" if dropped else ""
        typer.echo(f"written: {output}, {len(pairs):,} pairs: {sources}{left_out}")


def entities(path: Path, kind: str, separator: str | None = None) -> Iterator[alias_tables.Entity]:
    """Yield the entities of a table, or for legislators of a folder of their CSV files.

    Raise LookupError if the kind is unknown. Raise FileNotFoundError or ValueError if there is no such table, it is not
    of this kind, or a separator is given for another kind than "csv".
    """
    if kind not in FORMATS:
        raise unknown("format of tables", kind, FORMATS)
    if separator is not None and kind != "csv":
        raise ValueError(f"--separator is for tables of --format csv; those of {kind} have one alias per field")
    if kind == "csv":
        yield from alias_tables.read_aliases(path, separator)
    else:
        files = sorted(path.glob("legislators-*.csv")) if path.is_dir() else [path]
        if not files:
            raise FileNotFoundError(
                f"{path} contains no legislators-*.csv; name the folder of the files of congress-legislators"
            )
        yield from alias_tables.read_legislators(files)


def encoder(base: str) -> Callable[[Sequence[str]], Any]:
    """Return a function from texts to the sentence vectors of the base, shape (n, d), for semantic sampling."""

    def encode(texts: Sequence[str]) -> Any:
        from answersim.metrics.neural.bi_encoder import sentence_settings
        from answersim.metrics.neural.encoders import Request
        from answersim.metrics.neural.transformer import Transformer

        checkpoint = search.find(base)
        pooling, limit = sentence_settings(checkpoint)
        return Transformer(checkpoint=checkpoint).encode([Request(texts, limit, pooling=pooling)])[0].pooled

    return encode


if __name__ == "__main__":
    typer.run(main)
