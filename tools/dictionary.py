"""The dictionary files of WordNet 3.0: their lines, their synsets, and the words that are opposites."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

PARTS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
MARKER = re.compile(r"\((?:a|p|ip)\)$")  # where an adjective may be used; not part of its name
INSTANCE = "@i"  # the pointer from a single person, place or thing to its class


class Synset(NamedTuple):
    """A meaning: the words for it, its pointers to others (symbol, key, words meant), and its definition."""

    key: str
    words: tuple[str, ...]
    pointers: tuple[tuple[str, str, str], ...]
    gloss: str

    def pointed(self, symbols: tuple[str, ...]) -> list[str]:
        """Return the keys of the synsets to which pointers with these symbols lead."""
        return [key for symbol, key, _ in self.pointers if symbol in symbols]


def lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file without the license at its head."""
    if not path.is_file():
        raise FileNotFoundError(f"no dictionary file {path}; install Debian's wordnet-base, which contains it")
    with path.open(encoding="utf-8") as file:
        yield from (line for line in file if not line.startswith(" "))


def entries(path: Path) -> Iterator[list[str]]:
    """Yield the fields of each line, without the gloss at its end."""
    return (line.split("|", 1)[0].split() for line in lines(path))


def words_of(fields: list[str]) -> list[str]:
    """Return the words in the fields of a line of a data file."""
    return [MARKER.sub("", word) for word in fields[4 : 4 + 2 * int(fields[3], 16) : 2]]


def read_dictionary(folder: Path) -> dict[str, Synset]:
    """Read every synset of the files data.noun, data.verb, data.adj and data.adv in this folder, by its key.

    Raise ValueError if a line is not in the format of wndb(5WN) of WordNet 3.0, or points to a missing synset.
    """
    listed = [_synset(part, line) for name, part in PARTS.items() for line in lines(folder / f"data.{name}")]
    synsets = {synset.key: synset for synset in listed}
    lost = next((key for synset in listed for _, key, _ in synset.pointers if key not in synsets), None)
    if lost or not synsets:
        flaw = f"point to a synset {lost} that is not there" if lost else "contain no synsets"
        raise ValueError(f"the files in {folder} {flaw}; they must be complete, and of one version of WordNet")
    return synsets


def _synset(part: str, line: str) -> Synset:
    data, _, gloss = line.partition(" | ")
    fields = data.split()
    try:
        words = tuple(word.replace("_", " ") for word in words_of(fields))
        at = 4 + 2 * len(words)
        starts = range(at + 1, at + 1 + 4 * int(fields[at]), 4)
        pointers = tuple((fields[i], fields[i + 2] + fields[i + 1], fields[i + 3]) for i in starts)
    except (IndexError, ValueError) as error:
        raise ValueError(f"{line[:60]!r} is not a line of the data files of WordNet ({error})") from error
    return Synset(part + fields[0], words, pointers, gloss.split('; "')[0].strip())


def opposites(dictionary: Mapping[str, Synset]) -> Iterator[tuple[str, str, str]]:
    """Yield two words that a pointer marks as opposites, after the letter of their part of speech."""
    for key, synset in dictionary.items():
        for symbol, other, meant in synset.pointers:
            if symbol == "!":
                yield key[0], *meant_words(synset, dictionary[other], meant)


def meant_words(source: Synset, target: Synset, meant: str) -> tuple[str, str]:
    """Return the words that a pointer joins: their numbers are hexadecimal. 0 means all, and the first one is taken."""
    one, other = (max(int(part, 16) - 1, 0) for part in (meant[:2], meant[2:]))
    return source.words[one], target.words[other]
