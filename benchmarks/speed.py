"""What things cost, measured beside a named peer in one run.

python -m benchmarks.speed attention
"""

from __future__ import annotations

import typer

from benchmarks import attention

app = typer.Typer(
    help="What things cost, measured beside a named peer in one run.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command("attention")(attention.main)


@app.callback()
def _several() -> None:
    """Keeps the names of the commands, however few there are."""


if __name__ == "__main__":
    app()
