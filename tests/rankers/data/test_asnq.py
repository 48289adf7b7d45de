from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rankers.data import load
from rankers.data.pools import share

LINES = "".join(
    f"who is {i}\t{text} {i}\t{label}\n"
    for i in range(60)
    for text, label in (("outside", 1), ("the short answer", 2), ("inside", 3), ('"the" answer', 4), ("more", 1))
)


@pytest.fixture
def home(put: Callable[[str, str], Path]) -> Path:
    put("asnq/train.tsv", LINES)
    return put("asnq/dev.tsv", "who is new\tit rained\t1\nwho is old\tnobody\t3\nwho is new\tAnn\t4\n")


def test_label_four_is_an_answer_and_lines_of_one_question_may_be_apart(home: Path) -> None:
    questions = load("asnq", "test", home=home, check=False)
    assert {q.text: {(c.text, c.grade) for c in q.candidates} for q in questions} == {
        "who is new": {("it rained", 0), ("Ann", 1)},
        "who is old": {("nobody", 0)},
    }


def test_dev_is_cut_from_train_by_the_text(home: Path) -> None:
    train, dev = (load("asnq", split, home=home, check=False) for split in ("train", "dev"))
    texts = [{question.text for question in part} for part in (train, dev)]
    assert texts[1] == {f"who is {i}" for i in range(60) if share("asnq-dev", f"who is {i}") < 0.02}
    assert len(texts[0]) + len(texts[1]) == 60
    assert not texts[0] & texts[1]


def test_some_negatives_are_kept_whatever_their_order(home: Path, put: Callable[[str, str], Path]) -> None:
    def kept() -> dict[str, set[tuple[str, int]]]:
        few = load("asnq", "train", home=home, check=False, negatives=2)
        return {q.text: {(c.text, c.grade) for c in q.candidates} for q in few}

    first = kept()
    assert {(len(pool), sum(grade for _, grade in pool)) for pool in first.values()} == {(3, 1)}
    put("asnq/train.tsv", "".join(reversed(LINES.splitlines(keepends=True))))
    assert kept() == first
    everything = load("asnq", "train", home=home, check=False, negatives=1000)
    assert {len(question.candidates) for question in everything} == {5}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("who\tAnn\n", "line 1: 2 cells, but each line must have 3: question, sentence, label"),
        ("who\tAnn\t4\nwho\tBob\t0\n", "line 2: the label is 0, but it must be 1, 2, 3 or 4"),
        ("who\tAnn\tyes\n", "line 1: the label is 'yes'"),
    ],
)
def test_wrong_input_is_an_error_with_its_line(text: str, says: str, put: Callable[[str, str], Path]) -> None:
    home = put("asnq/dev.tsv", text)
    with pytest.raises(ValueError, match=r"dev\.tsv") as found:
        load("asnq", "test", home=home, check=False)
    assert says in str(found.value)


def test_the_published_number_of_lines_is_checked(home: Path) -> None:
    with pytest.raises(ValueError, match="contains 3 lines, but asnq \\(test\\) has 930,062"):
        load("asnq", "test", home=home)
