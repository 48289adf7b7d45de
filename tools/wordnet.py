"""Write the tables of WordNet 3.0 that ship: synonyms, abbreviations with their names, spellings, and opposites.

On Debian and Ubuntu the package ``wordnet-base`` puts the dictionary files into /usr/share/wordnet. The folder of the
data is $ANSWERSIM_DATA::

    python -m tools.wordnet --source /usr/share/wordnet

The table of synonyms for METEOR is plain text (ASCII), in sections that a blank line separates: a head of comments with
the SHA-256 of every file read; then ``noun``, ``verb``, ``adj``, ``adv``, each line the lemma names of one synset; then
``noun.exc`` to ``adv.exc``, each line an irregular form and its base forms. What METEOR does not use is left out,
such as synsets whose names are all collocations ("hot_dog").

In ``initials.csv``, two words of one synset are a row if one of them is the initials of the other, or if the synset is
a single thing with a name of its own, such as a country ("UK"). So are two texts of which a judged answer says the one
in brackets behind the other, or that are titles of one page: "the National Football League (NFL)". In
``spellings.csv``, two words of one synset are a row if British and American rules, such as "our" and "or", make them
the same. ``opposites.tsv`` has the antonyms of words.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

import answersim
from answersim._base.runtime.cli_errors import user_errors
from answersim.answers.relation.wording import initials
from answersim.metrics.lexical.wordnet.reader import LICENSE, PARTS, TABLE
from benchmarks.options import run_program
from tools import tables
from tools.dictionary import INSTANCE, Synset, entries, opposites, read_dictionary, words_of
from tools.weights.pairs import mixture

_ANSWERS = Path(answersim.__file__).parent / "answers"
INITIALS, OPPOSITES = _ANSWERS / "relation" / "initials.csv", _ANSWERS / "relation" / "opposites.tsv"
_FILES = [name for part in PARTS for name in (f"index.{part}", f"data.{part}", f"{part}.exc")]
# The signature of METEOR has the digest of the table, so this line keeps the first name of this program.
_HEAD = """\
# Synonyms of WordNet 3.0, one synset a line; written by answersim.lexical.wordnet.build, not by hand.
# WordNet 3.0 Copyright 2006 by Princeton University. All rights reserved. Licence: LICENSE.wordnet.
"""
_SHORTEST = 4  # letters of a word with two spellings
_TITLE = re.compile(r"\A(?:the |president (?=\S+ ))")  # it is no part of a name, unless one word is left
_CAPITALS = re.compile(r"(?:[A-Z]\.?){2,8}")
ANSWERS = ("judged", "judged-nq", "diver", "saf-en")  # sources of ``mixture`` under the licenses Apache-2.0 and MIT
_PHRASE = r"(?:[^\W\d_][\w'’.]{0,40}[ -]){1,9}[^\W\d_][\w'’.]{0,40}"
_BEHIND = re.compile(rf"({_PHRASE}) \(((?:the )?{_CAPITALS.pattern})\)")
_BEFORE = re.compile(rf"\b({_CAPITALS.pattern}) \(({_PHRASE})\)")
_LETTER = re.compile(r"\b[^\W\d_]\b")  # "J. F. Kennedy" explains nothing
_LINKS = re.compile(r"\A(?:(?:a|an|the|of|in|on|to|for|and|or|by|at|with|as) )+", re.IGNORECASE)
_SPELLINGS = tables.table(__file__, "british.tsv")  # British spellings, as patterns, and American ones


def table(source: Path) -> bytes:
    """Return the table of synonyms of this folder. Raise FileNotFoundError if a dictionary file is missing."""
    hashes = (f"# sha256 {name} {hashlib.sha256((source / name).read_bytes()).hexdigest()}\n" for name in _FILES)
    sections = [_HEAD + "".join(hashes)]
    for part in PARTS:
        synsets = [sorted(set(words_of(fields))) for fields in entries(source / f"data.{part}")]
        single = {" ".join(names) for names in synsets if not all("_" in name for name in names)}
        sections.append(_section(part, single))
    for part in PARTS:
        bases = {row[0]: " ".join(row) for row in entries(source / f"{part}.exc")}  # the last one counts
        sections.append(_section(f"{part}.exc", bases.values()))
    return "\n".join(sections).encode("ascii")


def _section(title: str, lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in (title, *sorted(lines)))


def license_text(source: Path) -> bytes:
    """Return the license of WordNet, from the head of its noun file. Raise ValueError for another version than 3.0."""
    lines = (source / "data.noun").read_text(encoding="ascii").splitlines()
    numbered = (line.split(maxsplit=1) for line in lines if line.startswith(" "))
    text = "".join(f"{''.join(words).rstrip()}\n" for _number, *words in numbered)
    if "WordNet 3.0 Copyright" not in text:
        raise ValueError(f"{str(source)!r} contains another version than WordNet 3.0; give the files of WordNet 3.0")
    return text.encode("ascii")


def initialisms(source: Path, data: Path) -> dict[str, list[str]]:
    """Return the names of each abbreviation, in lower case, without an article, sorted.

    ``source``: the folder of the dictionary files; ``data``: that of the judged answers.
    """
    names: dict[str, set[str]] = defaultdict(set)
    for short, name in (*_of_initials(), *_of_things(source), *_of_answers(mixture.Places(data, source))):
        plain = name.replace(".", "") if _CAPITALS.fullmatch(name) else name
        if plain != short:
            names[short].add(_TITLE.sub("", plain.casefold()))
    return {short: sorted(listed) for short, listed in sorted(names.items())}


def _of_initials() -> Iterator[tuple[str, str]]:
    """Yield each initialism with each of its names, in the order of the table of synonyms."""
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        names = [name.replace("_", " ") for name in line.split() if not line.startswith("#")]
        for short in names:
            yield from ((short.replace(".", ""), name) for name in names if initials(short, name))


def _of_things(source: Path) -> Iterator[tuple[str, str]]:
    """Yield each abbreviation in capitals of one single thing with the names whose first sense is this thing.

    "Europe" is the continent first, and so not the EU. A single word needs to have no other sense, as "Roosevelt" has.
    """
    # The synset of the first sense of each name, and the number of senses.
    first = {name: ("n" + rest[-int(senses)], int(senses)) for name, _, senses, *rest in entries(source / "index.noun")}
    things = [synset for synset in read_dictionary(source).values() if synset.pointed((INSTANCE,))]
    shorts = [{word.replace(".", "") for word in thing.words if _CAPITALS.fullmatch(word)} for thing in things]
    counts = Counter(short for listed in shorts for short in listed)
    for thing, listed in zip(things, shorts, strict=True):
        keys = {name: first.get(name.replace(" ", "_").lower(), ("", 0)) for name in thing.words}
        names = [name for name, (key, n) in keys.items() if key == thing.key and (" " in name or n == 1)]
        yield from ((short, name) for short in listed if counts[short] == 1 for name in (*names, *listed))


def _of_answers(places: mixture.Places) -> Iterator[tuple[str, str]]:
    """Yield each abbreviation with its name that answers of the train split explain, or that are titles of one page."""
    pairs = [pair for name in ANSWERS for pair in mixture.load(name, places, "train")]
    texts = dict.fromkeys(chain.from_iterable((pair.first, pair.second) for pair in pairs))
    matches = (match for text in texts for pattern in (_BEHIND, _BEFORE) for match in pattern.finditer(text))
    titles = ((pair.first, pair.second) for pair in mixture.load("aliases", places, "train"))
    for one, other in chain((match.groups() for match in matches), titles):
        for short, name in ((one, other), (other, one)):
            plain = short.removeprefix("the ").replace(".", "")
            listed = _LINKS.sub("", name.strip(" .")).split()
            ends = (" ".join(listed[i:]) for i in range(len(listed)))
            whole = _LINKS.sub("", next((end for end in ends if initials(plain, end)), ""))
            if whole and _LETTER.search(whole) is None:
                yield plain, whole


def spellings(source: Path) -> dict[str, str]:
    """Return one spelling, the first of the alphabet, of each word that has another one; both are in one synset."""
    groups: dict[str, set[str]] = defaultdict(set)
    for synset in read_dictionary(source).values():
        words = [word for word in synset.words if word.isalpha() and word.islower() and len(word) >= _SHORTEST]
        american = {word: _american(word) for word in words}
        counts = Counter(american.values())
        for word in words:
            if counts[american[word]] > 1:
                groups[american[word]].add(word)
    return {word: min(group) for group in groups.values() for word in sorted(group) if word != min(group)}


def _american(word: str) -> str:
    for british, american in _SPELLINGS:
        word = re.sub(british, american, word)
    return word


def by_word(dictionary: Mapping[str, Synset]) -> dict[str, set[str]]:
    """Return the antonyms of each word of letters, in both directions."""
    found: dict[str, set[str]] = defaultdict(set)
    for _, one, two in opposites(dictionary):
        if one.isalpha() and two.isalpha():
            found[one.lower()].add(two.lower())
            found[two.lower()].add(one.lower())
    return found


def main(source: Annotated[Path, typer.Option(help="The folder of index.noun, data.noun, noun.exc ...")]) -> None:
    """Write the tables and the license into the package."""
    with user_errors():
        LICENSE.write_bytes(license_text(source))
        TABLE.write_bytes(table(source))
        names = ((short, "|".join(listed)) for short, listed in initialisms(source, mixture.default_data()).items())
        tables.write(INITIALS, [("initials", "names"), *names])
        tables.write(_ANSWERS / "text" / "spellings.csv", [("word", "other"), *sorted(spellings(source).items())])
        antonyms = sorted(by_word(read_dictionary(source)).items())
        rows = [(word, " ".join(sorted(listed))) for word, listed in antonyms]
        tables.write(OPPOSITES, [("word", "opposites"), *rows])


if __name__ == "__main__":
    run_program(main)
