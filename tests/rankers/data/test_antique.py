from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rankers.data import antique, load

DEV = '"say ""hi""?"\tgood, no\t1\t4\n"say ""hi""?"\t"a\tb"\t0\t2\nhow?\tso\t1\t3\n'
TEST = "why?\tbecause\t1\t3\nwhy?\twhy not\t0\t1\nwhy?\tdo not ask\t0\t2\n"


def judged(*answers: tuple[str, int]) -> list[dict[str, Any]]:
    return [{"doc_id": f"7_{i}", "passage": text, "label": label} for i, (text, label) in enumerate(answers)]


@pytest.fixture
def home(put: Callable[[str, str], Path]) -> Path:
    put("antique/dev.tsv", DEV)
    put("antique/test.tsv", TEST)
    pool = {
        'say "hi"?': judged(("x", 4)),  # a dev question, by its text
        "HOW? ": judged(("other", 3)),  # a dev question, in another spelling
        "for what reason?": judged(("because", 3), ("why not", 1), ("new", 2)),  # the test question, by its answers
        "where?": judged(("here", 4), ("there", 1), ("because", 2)),
    }
    return put("antique/judged-answers-500q.json", json.dumps(pool))


def test_cells_are_quoted_as_in_csv(home: Path) -> None:
    questions = load("antique", "dev", home=home, check=False)
    assert [question.text for question in questions] == ['say "hi"?', "how?"]
    assert {(c.text, c.grade) for c in questions.items[0].candidates} == {("good, no", 4), ("a\tb", 2)}


def test_grades_three_and_four_are_relevant_and_gains_begin_at_zero(home: Path) -> None:
    questions = load("antique", "test", home=home, check=False)
    assert [
        (c.grade, questions.is_relevant(c)) for c in sorted(questions.items[0].candidates, key=lambda c: c.grade)
    ] == [(1, False), (2, False), (3, True)]
    assert questions.gains == {1: 0, 2: 1, 3: 2, 4: 3}
    assert questions.pool == "judged"


def test_train_leaves_out_dev_and_test_questions_by_text_and_by_answers(home: Path) -> None:
    questions = load("antique", "train", home=home, check=False)
    assert [question.text for question in questions] == ["where?"]
    assert {(c.text, c.grade) for c in questions.items[0].candidates} == {("here", 4), ("there", 1), ("because", 2)}


def test_ids_do_not_reveal_the_question_of_an_answer(home: Path) -> None:
    questions = load("antique", "train", home=home, check=False)
    assert not any(c.id.startswith("7_") for question in questions for c in question.candidates)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "line 1: not JSON"),
        ('["a"]', "must be an object"),
        ('{"where?": [{"label": 3}]}', "an answer to 'where.': .* has no text"),
        ('{"where?": [{"passage": "a", "label": "x"}]}', "the label is 'x'"),
    ],
)
def test_a_file_of_another_shape_is_named(
    put: Callable[[str, str], Path], home: Path, text: str, complaint: str
) -> None:
    put("antique/judged-answers-500q.json", text)
    with pytest.raises(ValueError, match=rf"judged-answers-500q\.json.*{complaint}"):
        load("antique", "train", home=home, check=False)


@pytest.mark.data
def test_no_training_question_is_a_dev_or_test_question(data_home: Path) -> None:
    texts = {
        split: {q.text.lower().strip() for q in load("antique", split, home=data_home)} for split in ("train", "dev")
    }
    texts["test"] = {q.text.lower().strip() for q in load("antique", "test", home=data_home)}
    assert not texts["train"] & (texts["dev"] | texts["test"])
    assert not any(text.startswith('"') and text.endswith('"') for each in texts.values() for text in each)


@pytest.fixture
def full(put: Callable[[str, str], Path]) -> Path:
    """The published files: a collection, and per part queries and qrels; 2704 is one of the 200 dev questions."""
    put("antique-full/antique-collection.txt", '2704_0\tbecause\n8_1\ta\tb\n8_2\t"quoted"\n9_0\tnever judged\n')
    put("antique-full/antique-train-queries.txt", "2704\twhy?\n8\thow?\n")
    put("antique-full/antique-train.qrel", "2704 U0 2704_0 4\n8 U0 8_1 2\n8 Q0 8_2 3\n")
    put("antique-full/antique-test-queries.txt", "77\twhere?\n")
    return put("antique-full/antique-test.qrel", "77 U0 8_2 1\n")


def test_all_of_the_corpus_is_split_into_train_and_dev_by_the_published_ids(full: Path) -> None:
    splits = {name: load("antique-full", name, home=full, check=False) for name in ("train", "dev", "test")}
    assert {name: [question.id for question in split] for name, split in splits.items()} == {
        "train": ["8"],
        "dev": ["2704"],
        "test": ["77"],
    }
    (question,) = splits["train"]
    assert question.text == "how?"
    assert {(c.id, c.text, c.grade) for c in question.candidates} == {("8_1", "a\tb", 2), ("8_2", '"quoted"', 3)}
    assert (splits["train"].relevant, splits["train"].gains) == (3, {1: 0, 2: 1, 3: 2, 4: 3})


def test_ids_of_the_files_must_fit(full: Path, put: Callable[[str, str], Path]) -> None:
    put("antique-full/antique-test.qrel", "77 U0 5_5 1\n")
    with pytest.raises(ValueError, match=r"antique-test\.qrel names '5_5', but .*antique-collection\.txt has no text"):
        load("antique-full", "test", home=full, check=False)
    put("antique-full/antique-test.qrel", "77 U0 8_1 1\n77 U0 8_1 2\n")
    with pytest.raises(ValueError, match="line 2: '8_1' occurs twice under question '77'"):
        load("antique-full", "test", home=full, check=False)
    with pytest.raises(ValueError, match="contains 1 questions, but antique-full \\(train\\) has 2,226"):
        load("antique-full", "train", home=full)


def test_dev_has_200_questions() -> None:
    assert len(antique.DEV_IDS) == 200
    assert all(name.isdigit() for name in antique.DEV_IDS)
    assert {"1158088", "2704", "66151"} <= antique.DEV_IDS  # three of those that OpenNIR lists
