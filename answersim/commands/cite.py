"""``answersim cite``: BibTeX of the package and of the papers of metrics."""

from __future__ import annotations

from typing import Annotated

import typer

from answersim.runtime.option_groups import command


@command
def cite(
    metrics: Annotated[
        list[str] | None, typer.Argument(metavar="METRIC...", help="Names of 'answersim list', for their papers.")
    ] = None,
) -> None:
    """Print BibTeX entries of the package and of the papers of metrics."""
    from answersim.catalog.papers import bibtex

    entries = bibtex(metrics or ())
    typer.echo(f"% Beside each score, state the signature of the metric: answersim show METRIC\n\n{entries}", nl=False)
