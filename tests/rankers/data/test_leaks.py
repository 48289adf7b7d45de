"""The leak of a split: on made-up sets that leak in each way or not, and on the corpora that are known to."""

from __future__ import annotations

import json
from collections import Counter
from zlib import crc32

import numpy as np
import pytest

from rankers import data, evaluate, run
from rankers.data import load
from rankers.data.leaks import Leak, count_shared, leak, negatives, normalize
from rankers.types import FloatArray, Questions
from tests.cases import every
from tests.rankers.made_questions import made, question

TEST = made({"right one": 1, "wrong a": 0, "wrong b": 0, "wrong c": 0}, {"right two": 1, "wrong d": 0})


@every(
    ("train", "counts", "by_label", "by_opposite"),
    [
        (made({"another": 1, "else": 0}), (0, 0), 0.375, 0.375),
        # what was wrong in train and is wrong again gives the right ones away
        (made({"x": 1, "Wrong  A": 0, "wrong b": 0}, {"y": 1, "wrong c": 0, "wrong d": 0}), (4, 0), 1.0, 0.0),
        # what was wrong in train and is right now gives itself away
        (made({"x": 1, "right one": 0}, {"y": 1, "right two": 0}), (0, 2), 0.0, 1.0),
        # as often right as wrong in train
        (made({"wrong a": 1}, {"wrong a": 0}), (1, 0), 0.375, 0.375),
    ],
)
def test_a_leak_is_what_the_labels_of_train_tell_of_those_of_test(train, counts, by_label, by_opposite):
    result = leak(train, TEST)
    assert result == Leak(4, counts[0], 2, counts[1], by_label, by_opposite, by_chance=0.375)
    with pytest.raises(ValueError, match="no question of made-up test has a relevant candidate"):
        leak(TEST, made({"a": 0}))


def test_the_toy_set_does_not_leak():
    result = leak(data.load("toy", "train"), data.load("toy", "test"))
    assert result.known_negatives == result.misleading_positives == 0
    assert max(result.by_label, result.by_opposite) == result.by_chance


@pytest.mark.data
def test_the_leak_of_wikiqa(data_home):
    result = leak(data.load("wikiqa", "train", home=data_home), data.load("wikiqa", "test", home=data_home))
    assert (result.known_negatives, result.misleading_positives) == (151, 9)


SPLITS = ("train", "dev", "test")
NOTHING = {"questions": 0, "candidates": 0}
CORPORA = ("yahoocqa-disjoint", "fiqa-disjoint")
TOPICS = ("bread", "rivers", "trains", "stars", "paint")


class ByText:
    """A ranker that never reads the question: it prefers some texts over others."""

    signature = "by-text"

    def score(self, questions: list[str], candidates: list[list[str]]) -> list[FloatArray]:
        return [np.array([crc32(text.encode()) for text in pool], dtype=np.float64) for pool in candidates]


@every(
    ("text", "expected"),
    [("What's  THE ﬁne?", "what s the fine"), ("a-b\tc.", "a b c"), ("…!", ""), ("Größe", "grösse"), ("ÉTÉ", "été")],
)
def test_punctuation_case_and_white_space_are_no_difference(text, expected):
    assert normalize(text) == expected


def test_shared_texts_are_counted_after_normalization():
    splits = (
        [("Who?", {"me": 1, "You!": 0}), ("When?", {"now": 1, "then": 0})],
        [("who", {"you": 1}), ("why?", {"THEN": 0})],
    )
    first, second = (
        Questions("made", "train", tuple(question(text, text, pool) for text, pool in split)) for split in splits
    )
    assert count_shared(first, second) == {"questions": 1, "candidates": 2}


def test_each_positive_is_a_negative_equally_often_and_never_of_its_own_question():
    questions = [f"how about {TOPICS[i % 5]} number {i}" for i in range(40)]
    positives = [f"{TOPICS[i % 5]} number {i} is fine" for i in range(40)]
    drawn = negatives(questions, positives, 4)
    assert drawn.shape == (40, 4)
    assert Counter(drawn.ravel().tolist()) == dict.fromkeys(range(40), 4)
    assert all(i not in row and len(set(row)) == 4 for i, row in enumerate(drawn.tolist()))
    assert (drawn % 5 == np.arange(40)[:, None] % 5).mean() > 0.8  # of the same topic; 7 of the nearest 8 are
    assert (drawn == negatives(questions, positives, 4)).all()
    with pytest.raises(ValueError, match="4 questions, but 4 negatives of each come from other questions"):
        negatives(["q"] * 4, ["a"] * 4, 4)


def fives(*groups: tuple[str, str]) -> str:
    return "".join("".join(f"{q}#stock answer {i}#0\n" for i in range(4)) + f"{q}#{right}#1\n" for q, right in groups)


@pytest.fixture
def yahoo(put):
    """A sample whose negatives leak; train repeats a question of test, a right answer of test, and one of its own."""
    names = [(f"what of {TOPICS[i % 5]} {i}", f"{TOPICS[i % 5]} {i} indeed") for i in range(120)]
    again = [("What of BREAD 0?", "new answer"), ("new question", "rivers 1, indeed"), ("WHAT of stars 33", "another")]
    put("yahoocqa-small/test.txt", fives(*names[:30]))
    return put("yahoocqa-small/train.txt", fives(*again[:2], *names[30:], again[2]))


@pytest.fixture
def fiqa(put):
    rows = [{"qid": i, "question": f"tax number {i}", "gold": [1000 + i, 2000 + i]} for i in range(100)]
    put("fiqa-partial/test.ids.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    return put(
        "fiqa-partial/test_answers.tsv",
        "".join(f"{k + i}\tdue {k} for {i}\n" for i in range(100) for k in (1000, 2000)),
    )


def test_splits_of_a_leaking_sample_share_nothing(yahoo, fiqa):
    for corpus, n_questions in zip(CORPORA, (120, 100), strict=True):
        splits = [load(corpus, split, home=yahoo, check=False) for split in SPLITS]
        assert sum(map(len, splits)) == n_questions
        assert all(count_shared(splits[i], splits[j]) == NOTHING for i in range(3) for j in range(i))
        result = leak(splits[0], splits[2])
        assert max(result.by_label, result.by_opposite) == pytest.approx(result.by_chance)


def test_a_ranker_that_never_reads_the_question_is_at_chance(yahoo, fiqa):
    test = load("fiqa-disjoint", "test", home=fiqa, check=False)
    result = evaluate(run(ByText(), test), test, measures=["P@1"])
    assert result.mean("P@1") == pytest.approx(1 / len(test))  # its first text is a positive of one question
    sample = load("yahoocqa-disjoint", "test", home=yahoo, check=False)
    texts = Counter(c.text for question in sample for c in question.candidates)
    assert set(texts.values()) == {5}
    assert sum(c.grade for question in sample for c in question.candidates) == len(sample) == len(texts) == 30


def test_the_seed_of_the_call_changes_the_order_and_not_the_draw(yahoo):
    first, second = (load("yahoocqa-disjoint", "test", home=yahoo, check=False, seed=seed) for seed in (0, 1))
    assert [{c.text for c in q.candidates} for q in first] == [{c.text for c in q.candidates} for q in second]
    assert [q.candidates for q in first] != [q.candidates for q in second]


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize(
    ("corpus", "fingerprint"), [("yahoocqa-disjoint", "8c49e91c5687"), ("fiqa-disjoint", "bf2a0296d456")]
)
def test_the_splits_at_hand_share_nothing_and_are_the_same_on_every_machine(corpus, fingerprint, data_home):
    splits = [load(corpus, split, home=data_home) for split in SPLITS]
    assert splits[2].fingerprint == fingerprint
    assert all(count_shared(splits[i], splits[j]) == NOTHING for i in range(3) for j in range(i))
    result = leak(splits[0], splits[2])
    assert (result.known_negatives, result.misleading_positives) == (0, 0)
    assert max(result.by_label, result.by_opposite) == pytest.approx(result.by_chance)
