"""The table of WordNet: what it holds, and how a word is looked up."""

import hashlib
from pathlib import Path

import pytest

from answersim.metrics.lexical.wordnet import fingerprint, reader, synonyms
from tests.cases import every
from tests.metrics.lexical.wordnet.small_wordnet import small_wordnet
from tools import wordnet as build

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
