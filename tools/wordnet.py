"""Build the table of synonyms and its license from the dictionary files of WordNet 3.0.

On Debian and Ubuntu the package ``wordnet-base`` puts these files into /usr/share/wordnet::

    python -m tools.wordnet --source /usr/share/wordnet

The table is plain text (ASCII), in sections that a blank line separates: a head of comments with the SHA-256 of
every file read; then ``noun``, ``verb``, ``adj``, ``adv``, each line the lemma names of one synset; then
``noun.exc`` to ``adv.exc``, each line an irregular form and its base forms. What METEOR does not use is left out:
numbers, glosses, pointers, the order of senses, and every synset whose names are all collocations ("hot_dog"), because
METEOR compares single words. One input gives the same bytes on every machine, and a diff shows a change.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from answersim.metrics.lexical.wordnet.reader import LICENSE, PARTS, TABLE
from benchmarks.options import run_program

_FILES = [name for part in PARTS for name in (f"index.{part}", f"data.{part}", f"{part}.exc")]
_MARKER = re.compile(r"\([^()]*\)$")  # (a), (p) or (ip): where an adjective may be used; not part of its name
# The signature of METEOR has the digest of the table, so this line keeps the first name of this program.
_HEAD = """\
# Synonyms of WordNet 3.0, one synset a line; written by answersim.lexical.wordnet.build, not by hand.
# WordNet 3.0 Copyright 2006 by Princeton University. All rights reserved. Licence: LICENSE.wordnet.
"""


def table(source: Path) -> bytes:
    """Return the bytes of the table for this folder of dictionary files. They are the same for the same files.

    Raise FileNotFoundError if the folder lacks one of the twelve files. Raise ValueError if the files are not those of
    WordNet 3.0, or index and data disagree.
    """
    _check(source)
    hashes = (f"# sha256 {name} {hashlib.sha256((source / name).read_bytes()).hexdigest()}\n" for name in _FILES)
    sections = [_HEAD + "".join(hashes)]
    sections += [_section(part, {" ".join(names) for names in _synsets(source, part)}) for part in PARTS]
    sections += [_section(f"{part}.exc", _exceptions(source, part)) for part in PARTS]
    return "\n".join(sections).encode("ascii")


def license_text(source: Path) -> bytes:
    """Return the license of WordNet, from the head of its noun file, where each line is numbered."""
    _check(source)
    lines = (source / "data.noun").read_text(encoding="ascii").splitlines()
    numbered = (line.split(maxsplit=1) for line in lines if line.startswith(" "))
    return "".join(f"{''.join(words).rstrip()}\n" for _number, *words in numbered).encode("ascii")


def _check(source: Path) -> None:
    missing = [name for name in _FILES if not (source / name).is_file()]
    if missing:
        raise FileNotFoundError(
            f"{str(source)!r} has no {', '.join(missing)}, but the table is made from the dictionary files "
            "of WordNet 3.0; on Debian: apt-get install wordnet-base, then --source /usr/share/wordnet"
        )
    with (source / "data.noun").open(encoding="ascii") as file:
        if not any("WordNet 3.0 Copyright" in line for line, _ in zip(file, range(40), strict=False)):
            raise ValueError(
                f"{str(source)!r} contains another version than WordNet 3.0, which would change scores; give the files "
                "of WordNet 3.0"
            )


def _section(title: str, lines: set[str]) -> str:
    return "".join(f"{line}\n" for line in (title, *sorted(lines)))


def _entries(path: Path) -> Iterator[list[str]]:
    """Yield the fields of each line, without the license at the head and the gloss at the end."""
    with path.open(encoding="ascii") as file:
        yield from (line.split("|", 1)[0].split() for line in file if not line.startswith(" "))


def _synsets(source: Path, part: str) -> Iterator[list[str]]:
    """Yield the sorted names of each synset that has a single word among them."""
    offsets: defaultdict[str, set[str]] = defaultdict(set)
    for offset, _, _, count, *fields in _entries(source / f"data.{part}"):
        names = sorted({_MARKER.sub("", name) for name in fields[: 2 * int(count, 16) : 2]})
        for name in names:
            offsets[name.lower()].add(offset)
        if not all("_" in name for name in names):
            yield names
    # NLTK finds synsets by the index. The table has no index, so the names of the data files must agree with it.
    entries = _entries(source / f"index.{part}")
    indexed = {lemma: set(rest[-int(count) :]) for lemma, _, count, *rest in entries}
    odd = sorted(word for word in indexed.keys() | offsets.keys() if indexed.get(word) != offsets.get(word))
    if odd:
        raise ValueError(
            f"index.{part} and data.{part} disagree about {len(odd)} lemmas, the first being {odd[0]!r}; "
            "the table needs both as WordNet 3.0 has them"
        )


def _exceptions(source: Path, part: str) -> set[str]:
    """Return each irregular form with its bases. The last line of a form counts, as in NLTK."""
    bases = {form: rest for form, *rest in _entries(source / f"{part}.exc")}
    return {" ".join((form, *rest)) for form, rest in bases.items()}


def main(
    source: Annotated[Path, typer.Option(help="The folder of index.noun, data.noun, noun.exc ...")],
    output: Annotated[Path, typer.Option(help="The folder to write to. Default: the package.")] = TABLE.parent,
) -> None:
    """Write the table and its license into the package, or into another folder."""
    for path, content in ((output / TABLE.name, table(source)), (output / LICENSE.name, license_text(source))):
        path.write_bytes(content)
        typer.echo(f"{path}: {len(content):,} bytes, sha256 {hashlib.sha256(content).hexdigest()}")


if __name__ == "__main__":
    run_program(main)
