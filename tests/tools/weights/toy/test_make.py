from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import rankers.data.toy as toy
from rankers.data import load
from tools.weights.toy import make

HOME = Path(toy.__file__).parent
ROWS: list[dict[str, Any]] = [
    json.loads(line) for line in (HOME / "toy.jsonl").read_text(encoding="utf-8").splitlines()
]


def test_the_shipped_file_is_what_the_script_makes_byte_for_byte() -> None:
    assert (HOME / "toy.jsonl").read_bytes() == make.text().encode()
    assert (HOME / "toy.jsonl").stat().st_size < 500_000


def test_no_text_is_in_two_splits() -> None:
    texts: dict[str, set[str]] = {split: set() for split in make.SIZES}
    for row in ROWS:
        texts[row["split"]] |= {row["question"], *(text for _, text in row["candidates"])}
    assert [combination & other for combination, other in combinations(texts.values(), 2)] == [set(), set(), set()]


def test_no_thing_is_in_two_splits() -> None:
    words: dict[str, set[str]] = {split: set() for split in make.SIZES}
    things = make.things(make.world(make.WORLD))
    for thing in things:
        words[thing.split] |= {word.lower() for word in thing.name.split()}
    assert len({thing.name for thing in things}) == len(things) == 160
    assert [combination & other for combination, other in combinations(words.values(), 2)] == [set(), set(), set()]


def test_every_question_has_a_right_answer_and_a_gold_that_it_holds() -> None:
    for row in ROWS:
        right = [text for grade, text in row["candidates"] if grade == 3]
        assert right, row["question"]
        assert all(row["golds"][0].lower() in text.lower() for text in right), row["question"]


@pytest.mark.parametrize("split", ["dev", "test"])
def test_word_overlap_alone_does_not_solve_it(split: str) -> None:
    questions = load("toy", split)

    def overlap(question: str, candidate: str) -> int:
        return len(set(question.lower().strip("?").split()) & set(candidate.lower().strip(".").split()))

    first = [max(q.candidates, key=lambda c, q=q: overlap(q.text, c.text)) for q in questions]  # type: ignore[misc]
    assert sum(map(questions.is_relevant, first)) / len(questions) < 0.4
