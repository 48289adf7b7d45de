"""The table of WordNet: how it is built, what it holds, and how a word is looked up."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from answersim.metrics.lexical.wordnet import fingerprint, reader, synonyms
from tests.cases import every
from tools import wordnet as build


def small_wordnet(folder: Path) -> Path:
    """Dictionary files in the format of wndb(5WN), of a few invented synsets."""
    head = "  1 The license\n  2  \n  3 WordNet 3.0 Copyright 2006 by nobody.  \n"
    files = {
        "data.noun": (
            "00000010 03 n 02 Tram 0 street_car 0 000 | runs on rails\n"
            "00000020 03 n 01 street_car 0 000 | collocations only, to be dropped\n"
            "00000030 03 n 02 tram 0 axis 1 000 | another\n"
        ),
        "index.noun": (
            "axis n 1 0 1 0 00000030\nstreet_car n 2 0 2 0 00000010 00000020\ntram n 2 1 @ 2 0 00000030 00000010\n"
        ),
        "data.verb": "00000040 30 v 01 go 0 000 01 + 02 00 | move\n",
        "index.verb": "go v 1 0 1 0 00000040\n",
        "data.adj": "00000050 00 s 02 afloat(ip) 0 adrift(p) 0 000 | on water\n",
        "index.adj": "adrift a 1 0 1 0 00000050\nafloat a 1 0 1 0 00000050\n",
        "data.adv": "00000060 02 r 01 soon 0 000 | shortly\n",
        "index.adv": "soon r 1 0 1 0 00000060\n",
    }
    folder.mkdir()
    for name, lines in files.items():
        (folder / name).write_text(head + lines, encoding="ascii")
    exceptions = {"noun": "axes ax\naxes axis\n", "verb": "went go\n", "adj": "odder odd\n", "adv": "sooner soon\n"}
    for part, lines in exceptions.items():
        (folder / f"{part}.exc").write_text(lines, encoding="ascii")
    return folder


# By hand, from the dictionary files: word, some synonyms it has, some that it has not.
CASES = [
    ("automobile", {"auto", "automobile", "car", "machine", "motorcar"}, {"vehicle"}),
    ("automobiles", {"auto", "automobile", "car"}, {"automobiles"}),  # ending "s"
    ("churches", {"church"}, {"churches"}),  # "ches" -> "ch"
    ("admen", {"adman", "advertiser"}, {"admen"}),  # "men" -> "man"
    ("alehooves", {"alehoof"}, set()),  # "ves" -> "f"
    ("scanties", {"scanty"}, {"scanties"}),  # "ies" -> "y"
    ("moved", {"move", "travel"}, set()),  # "ed" -> "e"
    ("walking", {"walk", "walking"}, set()),  # "ing" -> ""
    ("mice", {"mouse"}, {"mice"}),  # noun.exc
    ("ran", {"run", "operate"}, {"ran"}),  # verb.exc
    ("worst", {"bad", "worst"}, set()),  # adj.exc
    ("warmest", {"warm"}, {"warmest"}),  # ending "est"
    ("better", {"better", "good", "well", "amend"}, set()),  # all parts of speech at once
    ("paris", {"Paris"}, {"paris"}),  # names keep their case
    ("PARIS", {"Paris"}, {"PARIS"}),  # the word asked for is lower-cased
    ("galore", {"galore", "abounding"}, {"galore(ip)"}),  # an adjective's place is no part of its name
    ("hot_dog", {"frank", "frankfurter"}, {"hot_dog"}),  # a collocation may be asked for, and is never an answer
    ("well-known", {"long-familiar", "well-known"}, set()),  # hyphens are letters
    ("1", {"one", "I", "unity"}, set()),
    ("axes", {"axis", "ax"}, {"axes"}),
    ("automobil", set(), {"automobile"}),  # a stem is looked up as it is
    ("xyzzy", set(), {"xyzzy"}),
    ("", set(), {""}),
    ("new york", set(), {"York"}),
    ("größe", set(), set()),
]


@every(("word", "some", "none"), CASES)
def test_synonyms_are_the_names_in_the_synsets_of_a_word_and_its_base_forms(word, some, none):
    result = synonyms(word)
    assert some <= result
    assert not none & result
    assert bool(result) == bool(some)
    assert not any("_" in name for name in result)


def test_the_fingerprint_is_the_hash_of_the_table():
    assert fingerprint() == hashlib.sha256(reader.TABLE.read_bytes()).hexdigest()[:12]


def test_the_table_is_small_and_names_its_source():
    content = reader.TABLE.read_bytes()
    assert len(content) < 3_000_000
    head = content.split(b"\n\n", 1)[0].decode("ascii").splitlines()
    hashes = [line.split()[2:] for line in head if line.startswith("# sha256 ")]
    assert sorted(name for name, _ in hashes) == sorted(
        f"{part}.exc" if kind == "exc" else f"{kind}.{part}"
        for part in ("noun", "verb", "adj", "adv")
        for kind in ("index", "data", "exc")
    )
    assert all(len(digest) == 64 for _, digest in hashes)


def test_the_license_lies_beside_the_table():
    license = reader.LICENSE.read_text(encoding="ascii")
    assert license.startswith("This software and database is being provided to you, the LICENSEE, by\n")
    assert "\nWordNet 3.0 Copyright 2006 by Princeton University.  All rights reserved.\n" in license
    assert license.endswith("Princeton University and LICENSEE agrees to preserve same.\n")


@pytest.fixture
def small_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """The reader, reading the small table, for one test."""
    path = tmp_path / "wordnet30.txt"
    path.write_bytes(build.table(small_wordnet(tmp_path / "dict")))
    monkeypatch.setattr(reader, "TABLE", path)
    caches = (reader.synonyms, reader.fingerprint, reader._parts)
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


@pytest.mark.usefixtures("small_table")
@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("tram", {"Tram", "tram", "axis"}),
        ("trams", {"Tram", "tram", "axis"}),
        ("street_car", {"Tram"}),
        ("street_cars", {"Tram"}),
        ("axes", {"axis", "tram"}),
        ("axis", {"axis", "tram"}),
        ("axiss", {"axis", "tram"}),  # the rules are applied blindly, as NLTK does
        ("went", {"go"}),
        ("goes", {"go"}),
        ("going", {"go"}),
        ("afloat", {"afloat", "adrift"}),
        ("floater", set()),
        ("sooner", {"soon"}),
        ("soons", set()),  # adverbs have no endings
    ],
)
def test_a_word_is_found_by_itself_its_exceptions_or_its_endings(word, expected):
    assert reader.synonyms(word) == expected


SMALL_TABLE = """\

noun
Tram street_car
axis tram

verb
go

adj
adrift afloat

adv
soon

noun.exc
axes axis

verb.exc
went go

adj.exc
odder odd

adv.exc
sooner soon
"""


def test_each_synset_of_single_words_is_listed_once(tmp_path: Path) -> None:
    source = small_wordnet(tmp_path / "dict")
    head, body = build.table(source).decode("ascii").split("\n\n", 1)
    assert "\n" + body == SMALL_TABLE
    digest = hashlib.sha256((source / "index.noun").read_bytes()).hexdigest()
    assert f"# sha256 index.noun {digest}" in head.splitlines()


def test_the_program_writes_table_and_license_and_the_same_bytes_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = small_wordnet(tmp_path / "dict")
    written = []
    for name in ("one", "two"):
        output = tmp_path / name
        output.mkdir()
        build.main(["--source", str(source), "--output", str(output)])
        written.append({path.name: path.read_bytes() for path in output.iterdir()})
    assert written[0] == written[1]
    assert written[0].keys() == {"wordnet30.txt", "LICENSE.wordnet"}
    assert written[0]["LICENSE.wordnet"] == b"The license\n\nWordNet 3.0 Copyright 2006 by nobody.\n"
    digest = hashlib.sha256(written[0]["wordnet30.txt"]).hexdigest()
    assert f"sha256 {digest}" in capsys.readouterr().out


def test_another_wordnet_is_refused(tmp_path: Path) -> None:
    source = small_wordnet(tmp_path / "dict")
    noun = source / "data.noun"
    noun.write_text(noun.read_text(encoding="ascii").replace("WordNet 3.0", "WordNet 3.1"), encoding="ascii")
    with pytest.raises(ValueError, match=r"another version than WordNet 3\.0"):
        build.table(source)
