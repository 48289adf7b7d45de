"""List which questions of the sets of judged answers are in which part, so that others can leave out the same ones.

    python -m tools.weights.splits

The list contains the first 12 hexadecimal digits of the SHA-256 of each question in UTF-8, by file and part, sorted. It
contains no question.
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Annotated

import typer

from answersim._base.runtime.cli_errors import user_errors
from benchmarks.options import run_program
from benchmarks.system_answers import (
    DIVER,
    EVOUNA,
    EVOUNA_NQ,
    SystemAnswer,
    load_diver,
    load_evouna,
    locate,
)
from benchmarks.tables import save

LIST = Path(__file__).parents[2] / "benchmarks/results/judged-splits.json"
DIGITS = 12


def main(output: Annotated[Path, typer.Option(help="The file to write.")] = LIST) -> None:
    """Write the list of the questions by file and part."""
    with user_errors():
        answers = {EVOUNA: load_evouna(), EVOUNA_NQ: load_evouna(path=locate(EVOUNA_NQ)), DIVER: load_diver()}
        save(json.dumps({file: parts(listed) for file, listed in answers.items()}, indent=0) + "\n", output)


def parts(answers: list[SystemAnswer]) -> dict[str, list[str]]:
    """Return the digests of the questions by part, each sorted."""
    of_part: dict[str, set[str]] = {"train": set(), "dev": set(), "test": set()}
    for answer in answers:
        of_part[answer.part].add(sha256(answer.question.encode()).hexdigest()[:DIGITS])
    return {part: sorted(digests) for part, digests in of_part.items()}


if __name__ == "__main__":
    run_program(main)
