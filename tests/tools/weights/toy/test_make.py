from __future__ import annotations

import json
from collections import Counter
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


def test_it_has_its_size() -> None:
    assert Counter(row["split"] for row in ROWS) == {"train": 300, "dev": 60, "test": 120}
    assert {len(row["candidates"]) for row in ROWS} == {8}


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


def test_no_wrong_candidate_of_the_same_relation_contains_the_gold() -> None:
    """Another thing with the same value would be taken for right by a reader who overlooks the name."""
    held = sum(
        f" {row['golds'][0].lower()}" in f" {text.lower()}"
        for row in ROWS
        for grade, text in row["candidates"]
        if not grade
    )
    assert held / len(ROWS) < 0.05


def test_candidates_of_a_question_differ() -> None:
    assert all(len({text for _, text in row["candidates"]}) == 8 for row in ROWS)
    assert all({grade for grade, _ in row["candidates"]} <= {0, 1, 2, 3} for row in ROWS)


def test_every_relation_is_asked_in_every_split() -> None:
    kinds = make.world(make.WORLD)
    ways = {
        (kind.name, relation.name): [way.split("{e}") for way in relation.sentences["?"]]
        for kind in kinds
        for relation in kind.relations
    }
    for split in make.SIZES:
        asked = Counter(
            relation
            for row in ROWS
            if row["split"] == split
            for relation, parts in ways.items()
            if any(row["question"].startswith(before) and row["question"].endswith(after) for before, after in parts)
        )
        assert len(asked) == 40
        assert min(asked.values()) >= {"train": 7, "dev": 1, "test": 3}[split]


def test_the_world_is_complete() -> None:
    for kind in make.world(make.WORLD):
        assert len(kind.relations) == 5
        for relation in kind.relations:
            result = {sign: len(sentences) for sign, sentences in relation.sentences.items()}
            assert result == {"?": 3, "=": 2, "~": 3, "-": 1, "!": 2}, (kind.name, relation.name)
            assert len({exact for exact, _ in relation.values}) == 8, (kind.name, relation.name)


@pytest.mark.parametrize("split", ["dev", "test"])
def test_word_overlap_alone_does_not_solve_it(split: str) -> None:
    questions = load("toy", split)

    def overlap(question: str, candidate: str) -> int:
        return len(set(question.lower().strip("?").split()) & set(candidate.lower().strip(".").split()))

    first = [max(q.candidates, key=lambda c, q=q: overlap(q.text, c.text)) for q in questions]  # type: ignore[misc]
    assert sum(map(questions.is_relevant, first)) / len(questions) < 0.4
