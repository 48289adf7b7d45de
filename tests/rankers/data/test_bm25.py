from __future__ import annotations

import sys

import pytest

from answersim.errors import MissingExtraError
from rankers.data import bm25

DOCUMENTS = {
    "a": "the tax on houses",
    "b": "buying a house abroad",
    "c": "a tax return for a house abroad",
    "d": "cats",
}


def test_documents_that_share_more_rare_words_come_first() -> None:
    assert bm25.pools(["tax on a house abroad", "cats?"], DOCUMENTS, 1) == [["c"], ["d"]]


def test_a_pool_has_the_depth_asked_for_or_all_documents() -> None:
    assert [len(pool) for pool in bm25.pools(["tax", "house"], DOCUMENTS, 3)] == [3, 3]
    assert [sorted(pool) for pool in bm25.pools(["tax"], DOCUMENTS, 50)] == [["a", "b", "c", "d"]]


def test_a_missing_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bm25s", None)
    with pytest.raises(MissingExtraError, match=r"bm25s.*\[rankers\]"):
        bm25.pools(["tax"], DOCUMENTS, 1)
