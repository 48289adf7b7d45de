"""The command list: the systems by their use, or all systems."""

from __future__ import annotations

from typing import Annotated

import typer

from answersim.runtime.cli_errors import user_errors
from rankers.commands.columns import column_table

PROGRAM = "rankers"


def list_systems(
    all_: Annotated[
        bool, typer.Option("--all", help="Every system, with variants, ablations, controls and sweeps.")
    ] = False,
) -> None:
    """List the systems by their use."""
    with user_errors(PROGRAM):
        from rankers.systems import catalog

        if all_:
            rows = [(name, catalog.system(name).summary) for name in catalog.names()]
            typer.echo(column_table(("system", "what it is"), rows, most=100))
            return
        width = max(len(name) for systems in catalog.USES.values() for name in systems)
        for use, systems in catalog.USES.items():
            typer.echo(f"{use}:")
            for name, what in systems.items():
                typer.echo(f"  {name:{width}}  {what}")
            typer.echo("")
        n_others = len(set(catalog.names()) - {name for systems in catalog.USES.values() for name in systems})
        typer.echo(f"{n_others} others are variants, ablations and controls of these: {PROGRAM} list --all")
