"""The speed of metrics, measured beside a named peer in one run.

python -m benchmarks.speed --format json
python -m benchmarks.speed lexical
python -m benchmarks.speed neural
python -m benchmarks.speed reward
python -m benchmarks.speed start
python -m benchmarks.speed tables
"""

from __future__ import annotations

from pathlib import Path

import typer

from answersim._base.runtime.cli_errors import user_errors
from benchmarks import speed_lexical, speed_neural, speed_reward, speed_start, speed_tables
from benchmarks.options import FORM, OUTPUT, program, show
from benchmarks.speed_rows import CLOCK, Clocks, table
from benchmarks.tables import Format

app = program(description="Measure costs beside a named peer in one run.")
_MODULES = (speed_lexical, speed_neural, speed_reward, speed_start, speed_tables)
for module in _MODULES:
    app.command(module.__name__.rpartition(".")[2].removeprefix("speed_"))(module.main)

# Each function measures everything in one call without arguments, and returns rows.
PARTS = (speed_lexical.rows, speed_neural.rows)


@app.callback(invoke_without_command=True)
def main(
    context: typer.Context,
    form: Format = FORM,
    output: Path | None = OUTPUT,
    clock: Clocks = CLOCK,
) -> None:
    """Without a command, print all measurements of metrics beside a peer in one table."""
    if context.invoked_subcommand is not None:
        return
    with user_errors():
        measured = [row for part in PARTS for row in part(clock=clock)]
    notes = dict.fromkeys([*speed_lexical.notes(clock), *speed_neural.notes(clock)])
    show([table("Speed", measured, list(notes))], measured, form, output)


if __name__ == "__main__":
    app()
