"""The command line of rankers: parse, one library call, print."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from answersim._base.runtime.cli_errors import user_errors
from answersim._base.runtime.command_list import STYLE, Listed, ListedCommands, path_hint

PROGRAM = "rankers"
_HEADING = "Commands"
LISTED = {  # in the order of the help
    "rank": Listed(_HEADING, "ranking:rank", "Rank the candidates of each question, the best first."),
    "evaluate": Listed(_HEADING, "evaluation:evaluate", "Evaluate a run, or a model on labeled questions."),
    "compare": Listed(_HEADING, "evaluation:compare", "Compare runs on the same questions."),
    "list": Listed(_HEADING, "listing:list_systems", "List the systems by their use."),
    "fetch": Listed(_HEADING, "listing:fetch", "Download a published model once."),
    "train": Listed(_HEADING, "training:train", "Train a system on these questions."),
    "publish": Listed(_HEADING, "training:publish", "Copy a finished training to a new folder with a card."),
    "export": Listed(_HEADING, "listing:export", "Write questions as a BEIR folder, qrels and a file to rank."),
}


class _Root(ListedCommands):
    """All commands, each imported at its first use."""

    package, listed = "rankers.commands", LISTED

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the arguments name. A file or a folder in its place is an error with a hint."""
        if args[0] not in self.listed and Path(args[0]).exists():
            ctx.fail(path_hint(args[0], "rankers rank FILE"))
        return super().resolve_command(ctx, args)


app = typer.Typer(
    name=PROGRAM,
    help="Published answer-selection systems, evaluated with ranking measures and answer similarity.",
    no_args_is_help=True,
    cls=_Root,
    **STYLE,
)


@app.callback()
def _root() -> None:
    pass


def main() -> None:
    """Run the command line. An error that the user can correct ends it with one line and exit status 2."""
    with user_errors(PROGRAM):  # also covers errors outside the command itself, such as while its help is printed
        app()


if __name__ == "__main__":
    main()
