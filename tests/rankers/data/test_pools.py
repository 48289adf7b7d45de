from __future__ import annotations

import sys
from collections import Counter

import pytest

from answersim._base.errors import MissingExtraError
from rankers.data.pools import Answer, Group, bm25_pools, digest, shelve

LETTERS = "a b c d e f g h".split()


def group(text: str, *answers: str, grade: int = 0) -> Group:
    return Group(text, tuple(Answer(answer, grade) for answer in answers))


def order(text="q", answers=LETTERS, corpus="c", split="s", seed=0):
    return [candidate.text for candidate in shelve([group(text, *answers)], corpus, split, seed)[0].candidates]


def test_the_order_depends_on_seed_corpus_split_and_question_alone():
    changes = [{"corpus": "d"}, {"split": "t"}, {"text": "r"}, *({"seed": seed} for seed in range(20))]
    assert len({tuple(order(**change)) for change in changes}) == len(changes)
    assert order(answers=LETTERS[::-1]) == order()  # nor on the order in the file
    among = shelve([group("p", "x"), group("q", *LETTERS), group("r", "y")], "c", "s", 0)[1]
    assert [candidate.text for candidate in among.candidates] == order()  # nor on the other questions


def test_every_place_is_as_likely_as_the_others():
    questions = shelve([group(f"q{i}", *LETTERS) for i in range(4000)], "c", "s", 0)
    first = Counter(question.candidates[0].text for question in questions)
    assert set(first) == set(LETTERS)
    assert all(number == pytest.approx(500, abs=90) for number in first.values())


def test_ids_are_those_of_a_file_or_hashes_of_texts_for_every_seed():
    ids = [{c.text: c.id for c in shelve([group("q", *LETTERS)], "c", "s", seed)[0].candidates} for seed in (0, 1)]
    assert ids[0] == ids[1] == {text: digest(text) for text in LETTERS}
    repeated = shelve([group("q", "a", "b", "a"), group("q", "a")], "c", "s", 0)
    assert [question.id for question in repeated] == [digest("q"), digest("q") + "-2"]
    assert {c.id for c in repeated[0].candidates} == {digest("a"), digest("a") + "-2", digest("b")}
    (stated,) = shelve([Group("q", (Answer("a", 1, "D7"), Answer("a", 0, "D8")), "Q1")], "c", "s", 0)
    assert stated.id == "Q1"
    assert {(c.id, c.grade) for c in stated.candidates} == {("D7", 1), ("D8", 0)}


def test_which_of_two_equal_candidates_is_called_the_second_is_chance():
    groups = [Group(f"q{i}", (Answer("a", 1), Answer("a", 0))) for i in range(1000)]
    seconds = [c for question in shelve(groups, "c", "s", 0) for c in question.candidates if c.id.endswith("-2")]
    assert len(seconds) == 1000
    assert sum(c.grade for c in seconds) == pytest.approx(500, abs=60)


DOCUMENTS = {
    "a": "the tax on houses",
    "b": "buying a house abroad",
    "c": "a tax return for a house abroad",
    "d": "cats",
}


def test_documents_that_share_more_rare_words_come_first_up_to_the_depth():
    assert bm25_pools(["tax on a house abroad", "cats?"], DOCUMENTS, 1) == [["c"], ["d"]]
    assert [len(pool) for pool in bm25_pools(["tax", "house"], DOCUMENTS, 3)] == [3, 3]
    assert [sorted(pool) for pool in bm25_pools(["tax"], DOCUMENTS, 50)] == [["a", "b", "c", "d"]]


def test_a_missing_library_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "bm25s", None)
    with pytest.raises(MissingExtraError, match=r"bm25s.*\[rankers\]"):
        bm25_pools(["tax"], DOCUMENTS, 1)
