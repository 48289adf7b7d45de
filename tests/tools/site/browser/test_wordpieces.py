"""The tokenizer of the page, on a small table: the longest pieces, unknown words, and truncation."""

from __future__ import annotations

from typing import Any

import pytest

from tools.site.browser.wordpieces import WordPieces

SMALL: dict[str, Any] = {
    "vocabulary": [*"[UNK] [CLS] [SEP] [MASK] run ##ning ##n a ? 北 \u1112\u1161\u11ab e".split()],
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
