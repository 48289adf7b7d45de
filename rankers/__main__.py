"""The command line of rankers: parse, one library call, print."""

from __future__ import annotations

import typer

from rankers.commands import evaluation, listing, ranking, training

PROGRAM = "rankers"

app = typer.Typer(
    name=PROGRAM,
    help="Published answer-selection systems, evaluated with ranking measures and answer similarity.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


app.command("rank")(ranking.rank)
app.command("evaluate")(evaluation.evaluate)
app.command("compare")(evaluation.compare)
app.command("list")(listing.list_systems)
app.command("fetch")(listing.fetch)
app.command("train")(training.train)
app.command("publish")(training.publish)
app.command("export")(listing.export)


def main() -> None:
    """Run the command line. An error that the user can correct ends it with one line and exit status 2."""
    app()


if __name__ == "__main__":
    main()
