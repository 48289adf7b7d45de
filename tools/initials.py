"""Write three tables of WordNet 3.0: abbreviations with their names, names of one thing, and words with two spellings.

    python -m tools.initials --source /usr/share/wordnet

The table of abbreviations is answersim/answers/relation/initials.csv. Two words of one synset are a row if one of them
is the initials of the other, or if the synset is a single thing with a name of its own, such as a country ("UK").
The table answersim/answers/relation/aliases.csv has the names of each such thing that mean nothing else; people are
left out.
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
from tools.weights.pairs.wordnet_pairs import read_dictionary

_ANSWERS = Path(answersim.__file__).parent / "answers"
OUTPUT, ALIASES = (_ANSWERS / "relation" / name for name in ("initials.csv", "aliases.csv"))
SPELLINGS = _ANSWERS / "text" / "spellings.csv"
_PERSON = "18"  # the number of the file of WordNet with the names of people
# British spellings, as patterns, and American ones.
_RULES = (
    *(("ae", "e"), ("oe", "e"), ("our", "or"), ("ou", "o"), ("ph", "f"), ("ogue", "og"), ("mme", "m"), ("ll", "l")),
    *(("yse", "yze"), ("ise", "ize"), ("isa", "iza"), ("isi", "izi"), (r"ey\Z", "ay"), (r"ence\Z", "ense")),
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


def _senses(source: Path) -> dict[str, tuple[str, int]]:
    """Return the synset of the first sense of each noun, and the number of its senses."""
    senses: dict[str, tuple[str, int]] = {}
    for line in _lines(source / "index.noun"):
        name, _, count, *rest = line.split()
        senses[name] = "n" + rest[-int(count)], int(count)
    return senses


def _lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file of WordNet without its license."""
    return (line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith(" "))


def aliases(source: Path) -> Iterator[list[str]]:
    """Yield the names of each single thing, in lower case, of those names that have no other sense."""
    senses = _senses(source)
    files = {f"n{key}": number for key, number, *_ in map(str.split, _lines(source / "data.noun"))}
    for thing in read_dictionary(source).values():
        if files.get(thing.key) != _PERSON and any(symbol == "@i" for symbol, *_ in thing.pointers):
            keys = {name: senses.get(name.replace(" ", "_").lower()) for name in thing.words if name[0].isupper()}
            names = [name for name, key in keys.items() if key == (thing.key, 1) and not _CAPITALS.fullmatch(name)]
            plain = dict.fromkeys(_TITLE.sub("", name.casefold()) for name in names)
            if len(plain) > 1:
                yield [*plain]


def named(source: Path) -> Iterator[tuple[str, str]]:
    """Yield each abbreviation in capitals of one single thing with the names whose first sense is this thing.

    "Europe" is the continent in its first sense, and so it is not the EU. A single word needs to have no other sense:
    "Roosevelt" may be another one than FDR.
    """
    first = _senses(source)
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
    things = (("|".join(listed),) for listed in sorted(aliases(source)))
    names = ((short, "|".join(listed)) for short, listed in table(source).items())
    written = (
        (OUTPUT, ("initials", "names"), names),
        (ALIASES, ("names",), things),
        (SPELLINGS, ("word", "other"), sorted(spellings(source).items())),
    )
    for path, header, rows in written:
        with user_errors(), path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows((header, *rows))


if __name__ == "__main__":
    run_program(main)
