"""``answersim cache``: show the content of the score cache, or empty it."""

from __future__ import annotations

import os

import typer

from answersim.commands.printing import print_parts
from answersim.data.fetch import cache_folder
from answersim.runtime.option_groups import command
from answersim.scoring.cache import VARIABLE, ScoreCache, default

app = typer.Typer(help="Show or clear the stored scores of neural metrics.", no_args_is_help=True)


@app.command()
@command
def info() -> None:
    """Show the folder of the cache, its size and its metrics."""
    found = _cache().info()
    print_parts([*found.summary(), *found.tables()])


@app.command()
@command
def clear() -> None:
    """Remove all scores, and the damaged files that were set aside. Other processes can continue to use the cache."""
    cache = _cache()
    typer.echo(f"removed {cache.clear():,} scores from {cache.folder}")


def _cache() -> ScoreCache:
    if os.environ.get(VARIABLE) is None:
        cache_folder()  # an error, and no warning, if there is no home folder
    cache = default()
    if cache is None:
        raise ValueError(f"the cache is switched off by ${VARIABLE}; unset it, or name a folder with it")
    return cache
