from __future__ import annotations

import sys
from collections import Counter

import pytest

from answersim._base.errors import MissingExtraError
from rankers.data.pools import Answer, CandidateRow, Group, blocks, bm25_pools, digest, shelve
from rankers.types import Question
from tests.cases import every


def group(text: str, *answers: str, grade: int = 0) -> Group:
    return Group(text, tuple(Answer(answer, grade) for answer in answers))


def row(key: str, answer: str) -> CandidateRow:
    return CandidateRow(key, key, Answer(answer, 0))


def order(questions: tuple[Question, ...]) -> list[str]:
    return [candidate.text for candidate in questions[0].candidates]


LETTERS = "a b c d e f g h".split()


def test_the_order_depends_on_the_seed():
    orders = {tuple(order(shelve([group("q", *LETTERS)], "c", "s", seed))) for seed in range(20)}
    assert len(orders) == 20


@every(("corpus", "split", "text"), [("d", "s", "q"), ("c", "t", "q"), ("c", "s", "r")])
def test_the_order_depends_on_corpus_split_and_question(corpus, split, text):
    assert order(shelve([group("q", *LETTERS)], "c", "s", 0)) != order(
        shelve([group(text, *LETTERS)], corpus, split, 0)
    )


def test_the_order_does_not_depend_on_the_other_questions():
    alone = shelve([group("q", *LETTERS)], "c", "s", 0)
    among = shelve([group("p", "x"), group("q", *LETTERS), group("r", "y")], "c", "s", 0)
    assert alone[0] == among[1]


def test_the_order_does_not_depend_on_the_order_in_the_file():
    forth = shelve([group("q", *LETTERS)], "c", "s", 0)
    back = shelve([group("q", *reversed(LETTERS))], "c", "s", 0)
    assert forth == back


def test_every_place_is_as_likely_as_the_others():
    questions = shelve([group(f"q{i}", *LETTERS) for i in range(4000)], "c", "s", 0)
    first = Counter(question.candidates[0].text for question in questions)
    assert set(first) == set(LETTERS)
    assert all(number == pytest.approx(500, abs=90) for number in first.values())


def test_ids_are_hashes_of_texts_and_the_same_for_every_seed():
    ids = [{c.text: c.id for c in shelve([group("q", *LETTERS)], "c", "s", seed)[0].candidates} for seed in (0, 1)]
    assert ids[0] == ids[1] == {text: digest(text) for text in LETTERS}


def test_ids_of_a_file_are_kept():
    questions = shelve([Group("q", (Answer("a", 1, "D7"), Answer("a", 0, "D8")), "Q1")], "c", "s", 0)
    assert questions[0].id == "Q1"
    assert {(c.id, c.grade) for c in questions[0].candidates} == {("D7", 1), ("D8", 0)}


def test_repeated_questions_and_candidates_are_kept_under_ids_of_their_own():
    questions = shelve([group("q", "a", "b", "a"), group("q", "a")], "c", "s", 0)
    assert [question.id for question in questions] == [digest("q"), digest("q") + "-2"]
    assert {c.id for c in questions[0].candidates} == {digest("a"), digest("a") + "-2", digest("b")}


def test_which_of_two_equal_candidates_is_called_the_second_is_chance():
    groups = [Group(f"q{i}", (Answer("a", 1), Answer("a", 0))) for i in range(1000)]
    seconds = [c for question in shelve(groups, "c", "s", 0) for c in question.candidates if c.id.endswith("-2")]
    assert len(seconds) == 1000
    assert sum(c.grade for c in seconds) == pytest.approx(500, abs=60)


def test_blocks_are_adjacent_rows():
    rows = [row("q", "a"), row("q", "b"), row("p", "c"), row("q", "d")]
    assert [(block.text, [a.text for a in block.answers]) for block in blocks(rows)] == [
        ("q", ["a", "b"]),
        ("p", ["c"]),
        ("q", ["d"]),
    ]


DOCUMENTS = {
    "a": "the tax on houses",
    "b": "buying a house abroad",
    "c": "a tax return for a house abroad",
    "d": "cats",
}


def test_documents_that_share_more_rare_words_come_first():
    assert bm25_pools(["tax on a house abroad", "cats?"], DOCUMENTS, 1) == [["c"], ["d"]]


def test_a_pool_has_the_depth_asked_for_or_all_documents():
    assert [len(pool) for pool in bm25_pools(["tax", "house"], DOCUMENTS, 3)] == [3, 3]
    assert [sorted(pool) for pool in bm25_pools(["tax"], DOCUMENTS, 50)] == [["a", "b", "c", "d"]]


def test_a_missing_library_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "bm25s", None)
    with pytest.raises(MissingExtraError, match=r"bm25s.*\[rankers\]"):
        bm25_pools(["tax"], DOCUMENTS, 1)
