"""``answersim train``: a bi-encoder on names, aliases or numbers; a cross-encoder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from answersim.runtime.option_groups import GroupedCommand
from answersim.training.bi_encoder import training_pairs
from answersim.training.bi_encoder.options import PAPER_HELP, bi_encoder_command
from answersim.training.bi_encoder.training_pairs import Sources
from answersim.training.cross_encoder.options import main as cross_encoder
from answersim.training.data import training_input
from answersim.training.data import variants as variants_by_rule
from answersim.training.data.training_input import TrainingInput
from answersim.training.options import listed

app = typer.Typer(help="Train the small models behind the metrics. Needs the extra 'train'.", no_args_is_help=True)

_RULES = (
    f"Rules that add spellings, separated by commas: {', '.join((*variants_by_rule.RULES, *variants_by_rule.ERRORS))}."
)

Separator = Annotated[
    str | None,
    typer.Option(help="The separator of aliases in one cell of a CSV table. Default: a cell contains one alias."),
]
Group = Annotated[str | None, typer.Option(help="Only entities of these groups, separated by commas.")]
Variants = Annotated[str | None, typer.Option(help=_RULES)]
Sampling = Annotated[str, typer.Option(help="Which pairs the teacher labels: random, bm25 or semantic.")]
Partners = Annotated[int, typer.Option(min=1, help="Sampled partners of each text.")]
MostSpellings = Annotated[
    int, typer.Option(min=0, help="Entities with more spellings are left out, as in the paper. 0: none is left out.")
]
Paper = Annotated[bool, typer.Option(help=PAPER_HELP)]
BothOrders = Annotated[bool, typer.Option(help="Sample every pair in both orders.")]


@app.command(cls=GroupedCommand)
@bi_encoder_command("runs/names")
def names(
    seed: int,
    base: str,
    paper: Paper = False,
    pairs: Annotated[
        Path | None, typer.Option(help="A file of pairs. Default: $ANSWERSIM_DATA/names/name_pairs_score_split.csv.")
    ] = None,
    keep_split: Annotated[
        bool, typer.Option(help="Keep the split of the file, in which names may occur in two splits.")
    ] = False,
    table: Annotated[Path | None, typer.Option(help="A table of personal names to build pairs from instead.")] = None,
    format: Annotated[str, typer.Option(help="The format of the table: csv, dbpedia or legislators.")] = "csv",
    separator: Separator = None,
    group: Group = None,
    most_spellings: MostSpellings = 3,
    variants: Variants = None,
    sampling: Sampling = "random",
    k: Partners = 1,
    both_orders: BothOrders = False,
) -> TrainingInput:
    """Train a bi-encoder on names. They are the recorded pairs of the paper, a file of pairs, or a table of names."""
    if paper and table is not None:
        raise ValueError("--paper trains on the pairs of the paper; leave --table out, or --paper")
    if table is None:
        _check_no_table(
            format=format != "csv",
            separator=separator,
            group=group,
            most_spellings=most_spellings != 3,
            variants=variants,
            sampling=sampling != "random",
            k=k != 1,
            both_orders=both_orders,
        )
        return training_input.from_file(pairs or training_pairs.default_file(), seed, keep_split=keep_split or paper)
    if pairs is not None or keep_split:
        raise ValueError("--table builds pairs with new splits; leave --pairs and --keep-split out")
    if separator is not None and format != "csv":
        raise ValueError(
            f"--separator is for tables of --format csv; those of {format} have one alias per field; leave it out"
        )
    sources = Sources(separator, listed(group), listed(variants), sampling, k, both_orders, seed, most_spellings)
    return training_pairs.from_table(table, format, sources, training_pairs.encoder(base))


@app.command(cls=GroupedCommand)
@bi_encoder_command("runs/aliases")
def aliases(
    seed: int,
    base: str,
    table: Annotated[Path, typer.Option(help="A CSV file with the columns entity, alias and optionally group.")],
    separator: Separator = None,
    group: Group = None,
    most_spellings: MostSpellings = 3,
    variants: Variants = None,
    sampling: Sampling = "random",
    k: Partners = 1,
    both_orders: BothOrders = False,
) -> TrainingInput:
    """Train a bi-encoder on aliases. A table lists entities and their other names: products, places, acronyms."""
    sources = Sources(separator, listed(group), listed(variants), sampling, k, both_orders, seed, most_spellings)
    return training_pairs.from_table(table, "csv", sources, training_pairs.encoder(base))


@app.command(cls=GroupedCommand)
@bi_encoder_command("runs/numbers")
def numbers(
    seed: int,
    base: str,
    paper: Paper = False,
    lang: Annotated[str, typer.Option(help="Languages of the words, separated by commas.")] = "en,de",
    kinds: Annotated[
        str | None, typer.Option(help="Some of cardinal, ordinal, year, decimal, range, roman. Default: all but roman.")
    ] = None,
    size: Annotated[int, typer.Option(min=0, help="The number of pairs. 0: as many as in the paper, 9,110.")] = 0,
) -> TrainingInput:
    """Train a bi-encoder on numbers in digits and words. Negatives are neighboring numbers."""
    if paper:
        if lang != "en,de" or kinds is not None or size:
            raise ValueError("--paper trains on the numbers of the paper; leave --lang, --kinds and --size out")
        return training_pairs.paper_numbers(seed)
    return training_pairs.from_numbers(listed(lang), listed(kinds), size, seed)


app.command("cross-encoder", cls=GroupedCommand)(cross_encoder)


def _check_no_table(**given: object) -> None:
    for name, value in given.items():
        if value:
            raise ValueError(f"--{name.replace('_', '-')} sets how pairs are built from a table; name one with --table")
