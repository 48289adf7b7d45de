"""Write the opposites of single English words in WordNet 3.0.

    python -m tools.opposites --source /usr/share/wordnet

The table is answersim/answers/relation/opposites.tsv: a word, and the words that WordNet calls its antonyms. It has the
license of WordNet, see NOTICE. Debian has the dictionary files as ``wordnet-base``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

import answersim
from answersim._base.runtime.cli_errors import user_errors
from benchmarks.options import run_program
from tools.dictionary import Synset, opposites, read_dictionary

OUTPUT = Path(answersim.__file__).parent / "answers" / "relation" / "opposites.tsv"


def by_word(dictionary: Mapping[str, Synset]) -> dict[str, set[str]]:
    """Return the antonyms of each word of letters, in both directions."""
    found: dict[str, set[str]] = defaultdict(set)
    for _, one, two in opposites(dictionary):
        if one.isalpha() and two.isalpha():
            found[one.lower()].add(two.lower())
            found[two.lower()].add(one.lower())
    return found


def main(source: Annotated[Path, typer.Option(help="The folder of the dictionary files.")]) -> None:
    """Write the table."""
    with user_errors():
        found = by_word(read_dictionary(source))
        lines = [f"{word}\t{' '.join(sorted(others))}\n" for word, others in sorted(found.items())]
        OUTPUT.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    run_program(main)
