"""``answersim cache``: show the content of the score cache, or empty it."""

from __future__ import annotations

import os

import typer

from answersim.commands.printing import print_table
from answersim.data.fetch import cache_folder
from answersim.runtime.cli_errors import user_errors
from answersim.scoring.cache import VARIABLE, ScoreCache, default

app = typer.Typer(help="Show or clear the stored scores of neural metrics.", no_args_is_help=True)


@app.command()
def info() -> None:
    """Show the folder of the cache, its size and its metrics."""
    with user_errors():
        contents = _cache().info()
        typer.echo(f"folder  {contents.folder}")
        typer.echo(f"size    {_size(contents.size)}")
        typer.echo(f"scores  {sum(contents.scores.values()):,}")
        for path in contents.set_aside:
            typer.echo(f"damaged, no longer used: {path}")
        if contents.scores:
            typer.echo()
            print_table(("scores", "signature"), [(f"{n:,}", name) for name, n in contents.scores.items()])


@app.command()
def clear() -> None:
    """Remove all scores, and the damaged files that were set aside. Other processes can continue to use the cache."""
    with user_errors():
        cache = _cache()
        typer.echo(f"removed {cache.clear():,} scores from {cache.folder}")


def _cache() -> ScoreCache:
    if os.environ.get(VARIABLE) is None:
        cache_folder()  # an error, and no warning, if there is no home folder
    cache = default()
    if cache is None:
        raise ValueError(f"the cache is switched off by ${VARIABLE}; unset it, or name a folder with it")
    return cache


def _size(size: int) -> str:
    """Return a number of bytes in the largest fitting unit, in steps of 1,024."""
    amount, units = float(size), ["bytes", "KiB", "MiB", "GiB", "TiB"]
    while amount >= 1024 and len(units) > 1:
        amount /= 1024
        units.pop(0)
    return f"{amount:,.0f} {units[0]}" if units[0] == "bytes" else f"{amount:,.1f} {units[0]}"
