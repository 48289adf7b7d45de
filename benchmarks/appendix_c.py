"""Appendix C of the SAS paper: a bi-encoder is trained on numbers in digits and words.

python -m benchmarks.appendix_c --output runs/numbers
python -m benchmarks.appendix_c --output runs/numbers --base all-MiniLM-L6-v2 --teacher sas
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from answersim._base.runtime.cli_errors import user_errors
from answersim.training.data.pairs import write_pairs
from benchmarks.number_pairs import PAPER_SIZE, paper_pairs
from benchmarks.options import program

app = program()


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def main(
    context: typer.Context,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder of the pairs and of the training.")],
    seed: Annotated[int, typer.Option(help="The random seed.")] = 0,
) -> None:
    """Write the number pairs of the paper, split by number, and train on them as the paper does.

    All further options are those of ``answersim train names``.
    """
    with user_errors():
        pairs = paper_pairs(seed)
        output.mkdir(parents=True, exist_ok=True)
        file = output / "pairs.csv"
        write_pairs(pairs, file)
        left_out = PAPER_SIZE - len(pairs)
        typer.echo(f"written: {file}, {len(pairs):,} pairs; {left_out:,} are left out, because the split is by number")
        words = ["train", "names", "--paper", "--pairs", str(file), "--seed", str(seed), "--output", str(output)]
        program = [sys.executable, "-m", "answersim"]
        raise typer.Exit(subprocess.run([*program, *words, *context.args], check=False).returncode)


if __name__ == "__main__":
    app()
