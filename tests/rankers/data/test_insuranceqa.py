from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rankers.data import load

ANSWERS = {f"A{i}": f"answer {i}" for i in range(20)} | {f"X{i}": f"extra {i}" for i in range(20)}
VOCABULARY = "idx_1\twhat\nidx_2\tcost\nidx_3\tmuch\n"
LABELS = "1\tidx_2 idx_3\n2\tidx_1\n3\tidx_3\n"
FULL = "insuranceqa-v1"


@pytest.fixture
def mini(put: Callable[[str, str], Path]) -> Path:
    put("insuranceqa/answers.tsv", "".join(f"{name}\t{text}\n" for name, text in ANSWERS.items()))
    others = "".join(f"other {i}\tX{i}\t\n" for i in range(10, 20))
    put("insuranceqa/mini.train.tsv", "what cost\tX1 A2\t\nwhat much\tX3\t\n" + others)
    return put("insuranceqa/mini.dev.tsv", "what cost\tX1\tA1 A2 A3\n")


@pytest.fixture
def full(put: Callable[[str, str], Path]) -> Path:
    put(f"{FULL}/vocabulary", VOCABULARY)
    put(f"{FULL}/answers.label.token_idx", LABELS)
    put(f"{FULL}/question.train.token_idx.label", "idx_1 idx_2\t1 2\nidx_3\t3\n")
    return put(f"{FULL}/question.dev.label.token_idx.pool", "1\tidx_1 idx_3\t1 2 1 2 3\n")


def test_a_reduced_pool_is_the_right_answers_and_the_wrong_ones(mini: Path) -> None:
    question = load("insuranceqa-mini", "dev", home=mini, check=False).items[0]
    expected = {("extra 1", 1), ("answer 1", 0), ("answer 2", 0), ("answer 3", 0)}
    assert {(c.text, c.grade) for c in question.candidates} == expected
    assert question.golds == ("extra 1",)


def test_ids_do_not_reveal_the_origin_of_a_text(mini: Path) -> None:
    for split in ("train", "dev"):
        questions = load("insuranceqa-mini", split, home=mini, check=False)
        assert not any(c.id[0] in "AX" for question in questions for c in question.candidates)


def test_training_questions_get_random_negatives_that_are_not_right(mini: Path) -> None:
    questions = load("insuranceqa-mini", "train", home=mini, check=False, negatives=10)  # of 13 right answers
    assert [sum(c.grade for c in question.candidates) for question in questions] == [2, 1] + [1] * 10
    assert [len(question.candidates) for question in questions] == [12, 11] + [11] * 10
    assert all(len({c.text for c in question.candidates}) == len(question.candidates) for question in questions)
    assert questions.pool == "random@10"


def test_negatives_are_right_answers_of_other_training_questions(mini: Path) -> None:
    questions = load("insuranceqa-mini", "train", home=mini, check=False, negatives=500)
    right = {ANSWERS[name] for name in ("X1", "A2", "X3", *(f"X{i}" for i in range(10, 20)))}
    assert [{c.text for c in question.candidates} for question in questions] == [right] * 12


def test_the_seed_decides_the_negatives(mini: Path) -> None:
    first, again, other = (
        load("insuranceqa-mini", "train", home=mini, check=False, seed=s, negatives=5) for s in (0, 0, 1)
    )
    texts = [{c.text for c in each.items[0].candidates} for each in (first, other)]
    assert first.items == again.items
    assert texts[0] != texts[1]


def test_the_full_format_is_read_through_the_vocabulary(full: Path) -> None:
    question = load("insuranceqa", "train", home=full, check=False, negatives=1).items[0]
    assert question.text == "what cost"
    assert {(c.id, c.text, c.grade) for c in question.candidates} == {
        ("1", "cost much", 1),
        ("2", "what", 1),
        ("3", "much", 0),
    }


def test_repeated_answers_are_taken_out_of_a_pool_and_counted(full: Path) -> None:
    questions = load("insuranceqa", "dev", home=full, check=False)
    assert sorted((c.id, c.grade) for c in questions.items[0].candidates) == [("1", 1), ("2", 0), ("3", 0)]
    assert questions.notes[-1] == "2 repeated answers taken out of the pools of 500"


@pytest.mark.parametrize(
    ("split", "complaint"), [("train", "contains 3 answers, but .* 24,981"), ("dev", "contains 3 answers")]
)
def test_a_full_folder_is_checked_against_the_published_counts(full: Path, split: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        load("insuranceqa", split, home=full)


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        (
            "question.dev.label.token_idx.pool",
            "9\tidx_1\t9 1\n",
            "has the answer '9', which is not in the file of answers",
        ),
        ("question.dev.label.token_idx.pool", "1\tidx_9\t1 2\n", "line 1: 'idx_9' is not in the vocabulary"),
        ("answers.label.token_idx", "1\tidx_1\n1\n", "line 2: 1 cells, but each line has 2"),
    ],
)
def test_what_does_not_fit_is_named(
    put: Callable[[str, str], Path], full: Path, name: str, text: str, complaint: str
) -> None:
    put(f"{FULL}/{name}", text)
    with pytest.raises(ValueError, match=complaint):
        load("insuranceqa", "dev", home=full, check=False)
