"""Write the initialisms of WordNet 3.0 with the names that they are short for.

    python -m tools.initials

The table is answersim/answers/relation/initials.csv. Two words of one synset are a row if one of them is the initials
of the other. It has the license of WordNet, see NOTICE.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import answersim
from answersim.answers.relation.wording import initials
from answersim.metrics.lexical.wordnet.reader import TABLE

OUTPUT = Path(answersim.__file__).parent / "answers" / "relation" / "initials.csv"


def pairs() -> Iterator[tuple[str, str]]:
    """Yield each initialism with each of its names, in the order of the table."""
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        names = [name.replace("_", " ") for name in line.split() if not line.startswith("#")]
        for short in names:
            yield from ((short.replace(".", ""), name) for name in names if initials(short, name))


def table() -> dict[str, list[str]]:
    """Return the names of each initialism, in lower case, sorted."""
    names: dict[str, set[str]] = defaultdict(set)
    for short, name in pairs():
        names[short].add(name.casefold())
    return {short: sorted(listed) for short, listed in sorted(names.items())}


def main() -> None:
    """Write the table."""
    with OUTPUT.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("initials", "names"))
        writer.writerows((short, "|".join(listed)) for short, listed in table().items())


if __name__ == "__main__":
    main()
