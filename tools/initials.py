"""Write two tables of WordNet 3.0: abbreviations in capitals with their names, and words that have two spellings.

    python -m tools.initials --source /usr/share/wordnet

The table of abbreviations is answersim/answers/relation/initials.csv. Two words of one synset are a row if one of them
is the initials of the other, or if the synset is a single thing with a name of its own, such as a country ("UK").
The table of spellings is answersim/answers/text/spellings.csv. Two words of one synset are a row if British and
American rules, such as "our" and "or", make them the same.
The tables have the license of WordNet, see NOTICE. Debian has the dictionary files as ``wordnet-base``.
"""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

import answersim
from answersim._base.runtime.cli_errors import user_errors
from answersim.answers.relation.wording import initials
from answersim.metrics.lexical.wordnet.reader import TABLE
from benchmarks.options import run_program
from tools.dictionary import read_dictionary

_ANSWERS = Path(answersim.__file__).parent / "answers"
OUTPUT, SPELLINGS = _ANSWERS / "relation" / "initials.csv", _ANSWERS / "text" / "spellings.csv"
# British spellings, as patterns, and American ones.
_RULES = (
    *(("ae", "e"), ("oe", "e"), ("our", "or"), (r"ou(?=l)", "o"), ("ph", "f"), ("ogue", "og"), ("mme", "m")),
    *(
        ("ll", "l"),
        ("yse", "yze"),
        ("ise", "ize"),
        ("isa", "iza"),
        ("isi", "izi"),
        (r"ey\Z", "ay"),
        (r"ence\Z", "ense"),
    ),
    (r"(?<=[tbgc])re\Z", "er"),
)
_SHORTEST = 4  # letters of a word with two spellings
_TITLE = re.compile(r"\A(?:the |president (?=\S+ ))")  # it is no part of a name, unless one word is left
_CAPITALS = re.compile(r"(?:[A-Z]\.?){2,8}")


def pairs() -> Iterator[tuple[str, str]]:
    """Yield each initialism with each of its names, in the order of the table of synonyms."""
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        names = [name.replace("_", " ") for name in line.split() if not line.startswith("#")]
        for short in names:
            yield from ((short.replace(".", ""), name) for name in names if initials(short, name))


def named(source: Path) -> Iterator[tuple[str, str]]:
    """Yield each abbreviation in capitals of one single thing with the names whose first sense is this thing.

    "Europe" is the continent in its first sense, and so it is not the EU. A single word needs to have no other sense:
    "Roosevelt" may be another one than FDR.
    """
    first: dict[str, tuple[str, int]] = {}  # the synset of the first sense of each name, and the number of senses
    for line in (source / "index.noun").read_text(encoding="utf-8").splitlines():
        if not line.startswith(" "):  # the license
            name, _, senses, *rest = line.split()
            first[name] = "n" + rest[-int(senses)], int(senses)
    things = [s for s in read_dictionary(source).values() if any(symbol == "@i" for symbol, *_ in s.pointers)]
    shorts = [{word.replace(".", "") for word in thing.words if _CAPITALS.fullmatch(word)} for thing in things]
    counts = Counter(short for listed in shorts for short in listed)
    for thing, listed in zip(things, shorts, strict=True):
        keys = {name: first.get(name.replace(" ", "_").lower(), ("", 0)) for name in thing.words}
        names = [name for name, (key, n) in keys.items() if key == thing.key and (" " in name or n == 1)]
        yield from ((short, name) for short in listed if counts[short] == 1 for name in names)
        yield from ((short, other) for short in listed for other in listed if counts[short] == 1)


def table(source: Path) -> dict[str, list[str]]:
    """Return the names of each abbreviation, in lower case, without an article, sorted."""
    names: dict[str, set[str]] = defaultdict(set)
    for short, name in (*pairs(), *named(source)):
        plain = name.replace(".", "") if _CAPITALS.fullmatch(name) else name
        if plain != short:
            names[short].add(_TITLE.sub("", plain.casefold()))
    return {short: sorted(listed) for short, listed in sorted(names.items())}


def _american(word: str) -> str:
    for british, american in _RULES:
        word = re.sub(british, american, word)
    return word


def spellings(source: Path) -> dict[str, str]:
    """Return one spelling, the first of the alphabet, of each word that has another one; both are in one synset."""
    groups: dict[str, set[str]] = defaultdict(set)
    for synset in read_dictionary(source).values():
        words = [word for word in synset.words if word.isalpha() and word.islower() and len(word) >= _SHORTEST]
        counts = Counter(map(_american, words))
        for word in words:
            if counts[_american(word)] > 1:
                groups[_american(word)].add(word)
    return {word: min(group) for group in groups.values() for word in sorted(group) if word != min(group)}


def main(source: Annotated[Path, typer.Option(help="The folder of the dictionary files.")]) -> None:
    """Write the tables."""
    names = ((short, "|".join(listed)) for short, listed in table(source).items())
    written = (
        (OUTPUT, ("initials", "names"), names),
        (SPELLINGS, ("word", "other"), sorted(spellings(source).items())),
    )
    for path, header, rows in written:
        with user_errors(), path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows((header, *rows))


if __name__ == "__main__":
    run_program(main)
