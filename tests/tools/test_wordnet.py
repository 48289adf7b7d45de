"""The table of WordNet is built from the files of its distribution."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.metrics.lexical.wordnet.small_wordnet import small_wordnet
from tools import wordnet as build

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
