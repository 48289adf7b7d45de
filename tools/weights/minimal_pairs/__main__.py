"""Write the minimal pairs that are shipped with ``answersim``, or check that they are up to date.

    python -m tools.weights.minimal_pairs
    python -m tools.weights.minimal_pairs --check

The rules are deterministic: the same sources give the same bytes on every machine.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from answersim.data.minimal_pairs import FILE
from answersim.runtime.cli_errors import user_errors
from tools.weights.minimal_pairs.table import as_csv, rows

SHIPPED = Path(__file__).parents[3] / "answersim" / "data" / "probe" / FILE

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command(help=__doc__)
def main(
    check: Annotated[bool, typer.Option(help="Compare with the shipped file and write nothing.")] = False,
    output: Annotated[Path, typer.Option(help="The file of the rows.")] = SHIPPED,
) -> None:
    """Write or check the rows."""
    with user_errors():
        table = rows()
        text = as_csv(table)
        if check:
            if not output.is_file() or output.read_bytes() != text.encode("utf-8"):
                raise ValueError(
                    f"{output} differs from the rows of the rules; run 'python -m tools.weights.minimal_pairs'"
                )
        else:
            output.write_bytes(text.encode("utf-8"))
        typer.echo(f"{len(table)} rows, {len(text.encode('utf-8')):,} bytes: {output}")


if __name__ == "__main__":
    app()
