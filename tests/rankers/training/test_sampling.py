"""What an epoch reads: every right answer, beside others that are different, wrong, and follow from the epoch."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from rankers.modules.scoring import Batch, Lengths
from rankers.modules.vocabulary import Words
from rankers.training.sampling import (
    Dev,
    Hardest,
    Indices,
    NoNegatives,
    Sampled,
    TrainingSet,
    check_dev,
    check_pool,
    labeled_pairs,
    pools,
    training_set,
    with_positives,
)
from rankers.types import Candidate, FloatArray, Question, Questions
from tests.cases import every
from tests.rankers.made_questions import made

unhurried = settings(deadline=None)  # the machine may be busy


def question(name: str, grades: dict[str, int]) -> Question:
    return Question(name, f"{name}?", tuple(Candidate(f"{name}-{text}", text, n) for text, n in grades.items()))


def split(*items: Question, relevant: int = 1) -> Questions:
    return Questions("made-up", "train", items, relevant=relevant)


SPLIT = split(
    question("q1", {"a": 1, "b": 0, "c": 0}),
    question("q2", {"d": 0, "b": 0}),  # no right answer
    question("q3", {"b": 1, "e": 1, "a": 0}),
    question("q4", {"f": 1}),  # no wrong answer of its own
)

DATA = training_set(SPLIT)


def zeros(questions: Indices, answers: Indices) -> FloatArray:
    return np.zeros(len(questions))


def test_a_training_set_holds_each_text_once_and_each_right_answer():
    assert DATA.questions == ["q1?", "q3?", "q4?"]
    assert DATA.answers == ["a", "b", "c", "d", "e", "f"]
    assert DATA.pairs.tolist() == [[0, 0], [1, 1], [1, 4], [2, 5]]
    assert [positive.tolist() for positive in DATA.positives] == [[0], [1, 4], [5]]
    assert [negative.tolist() for negative in DATA.negatives] == [[1, 2], [0], []]


def test_pairs_are_all_of_a_training_set_with_their_labels():
    pairs, labels = labeled_pairs(DATA)
    assert pairs.tolist() == [[0, 0], [0, 1], [0, 2], [1, 1], [1, 4], [1, 0], [2, 5]]
    assert labels.tolist() == [1, 0, 0, 1, 1, 0, 1]
    drawn = NoNegatives().draw(DATA, DATA.pairs, 0, zeros)
    assert (drawn.shape, drawn.dtype) == ((4, 0), np.int64)


def test_questions_without_a_positive_can_be_kept():
    without_positives = training_set(SPLIT, without_positives=True)
    assert without_positives.questions == ["q1?", "q2?", "q3?", "q4?"]
    assert labeled_pairs(without_positives)[1].tolist() == [1, 0, 0, 0, 0, 1, 1, 0, 1]
    assert training_set(SPLIT, 2, without_positives=True).questions == ["q1?", "q2?"]
    assert [with_positive.id for with_positive in with_positives(SPLIT)] == ["q1", "q3", "q4"]


def test_the_level_of_relevance_decides_which_answers_are_positive():
    graded = split(question("q", {"a": 4, "b": 3, "c": 2, "d": 1}), relevant=3)
    assert training_set(graded).pairs.tolist() == [[0, 0], [0, 1]]
    pool = (Candidate("1", "same", 0), Candidate("2", "same", 1), Candidate("3", "other", 0))
    data = training_set(split(Question("q", "q?", pool)))  # a text that is right and wrong is right
    assert [[rows.tolist() for rows in side] for side in (data.positives, data.negatives)] == [[[0]], [[1]]]


@every(("limit", "kept"), [(0, 3), (1, 1), (2, 2), (3, 3), (9, 3)])
def test_a_limit_counts_questions_with_a_right_answer_and_leaves_all_answers(limit, kept):
    data = training_set(SPLIT, limit)
    assert data.questions == ["q1?", "q3?", "q4?"][:kept]
    assert data.answers == DATA.answers


@every(
    ("given_split", "said"),
    [
        (split(), "of its 0 questions 0 have a positive"),
        (split(question("q", {"a": 0, "b": 0})), "of its 1 questions 0 have a positive"),
        (split(question("q", {"a": 1})), "among 1 answers"),
    ],
)
def test_questions_that_nothing_can_be_learned_from_are_refused(given_split, said):
    with pytest.raises(ValueError, match=f"made-up train cannot be trained on: .*{said}"):
        training_set(given_split)


@st.composite
def sets(draw: st.DrawFn) -> tuple[TrainingSet, int]:
    names = "abcdefgh"
    results = [
        question(f"q{i}", {name: draw(st.sampled_from([0, 0, 1])) for name in draw(st.sets(st.sampled_from(names)))})
        for i in range(draw(st.integers(1, 4)))
    ]
    results.append(question("last", {"a": 1, "b": 0, "z": 0}))
    data = training_set(split(*results))
    return data, draw(st.integers(1, max(1, len(data.answers) - max(map(len, data.positives)))))


@unhurried
@given(sets(), st.integers(0, 3))
def test_a_pool_holds_different_answers_none_of_them_right(made, seed):
    data, size = made
    if size > len(data.answers) - max(map(len, data.positives)):
        return
    result = pools(data, data.pairs, size, np.random.default_rng(seed))
    assert result.shape == (len(data.pairs), size)
    for (of, _), row in zip(data.pairs, result.tolist(), strict=True):
        assert len(set(row)) == size
        assert not set(row) & set(data.positives[of].tolist())
        mine = set(data.negatives[of].tolist())
        assert set(row[: len(mine)]) <= mine  # the question's own first
        assert set(row) <= mine or mine <= set(row)


@every(("size", "fits"), [(1, True), (4, True), (5, False)])
def test_pools_may_be_as_large_as_every_question_has_wrong_answers(size, fits):
    if fits:
        check_pool(DATA, size)
        assert pools(DATA, DATA.pairs, size, np.random.default_rng(0)).shape == (4, size)
    else:
        for refuse in (lambda: check_pool(DATA, size), lambda: Sampled(size).draw(DATA, DATA.pairs, 0, zeros)):
            with pytest.raises(ValueError, match="pools of 5 negatives were requested, but a question has only 4"):
                refuse()


@pytest.mark.parametrize("negatives", [Sampled(2, seed=1), Hardest(2, pool=3, seed=1)])
def test_wrong_answers_follow_from_the_seed_and_the_epoch_alone(negatives, asked):
    data = training_set(asked(12))
    first = negatives.draw(data, data.pairs, 3, zeros)
    negatives.draw(data, data.pairs, 4, zeros)
    assert np.array_equal(negatives.draw(data, data.pairs, 3, zeros), first)
    assert not np.array_equal(negatives.draw(data, data.pairs, 4, zeros), first)
    assert not np.array_equal(replace(negatives, seed=2).draw(data, data.pairs, 3, zeros), first)
    assert dict(negatives.state()) == {}
    negatives.restore({})


def test_sampled_negatives_are_the_questions_own_first():
    result = Sampled(2).draw(DATA, DATA.pairs, 0, zeros)
    assert set(result[0].tolist()) == {1, 2}
    assert result[1][0] == 0


def test_the_hardest_are_those_of_the_pool_that_the_network_finds_best(asked):
    data = training_set(asked(12))
    liking = np.random.default_rng(0).standard_normal((len(data.questions), len(data.answers)))

    def score(questions, answers):
        return liking[questions, answers]

    whole = len(data.answers) - 2  # no question has more right answers, so this is every wrong one at least
    result = Hardest(3, pool=whole).draw(data, data.pairs, 0, score)
    for (of, _), row in zip(data.pairs.tolist(), result.tolist(), strict=True):
        negatives = [entry for entry in range(len(data.answers)) if entry not in data.positives[of]]
        best = sorted(negatives, key=lambda entry: -liking[of, entry])
        # A question with one right answer has one wrong answer more than the pool; it may be a best one.
        assert row == [entry for entry in best if entry in row][:3]
        assert set(row) <= set(best[:4])


LEVELS = Words(["bad", "fair", "good", "best", "who", "?"])

SHORT_TEXTS = Lengths(5, 5)

dev = partial(made, split="dev", text="who?")


class First(nn.Module):
    """The score of an answer is the place of its first word: bad < fair < good < best. ``scale`` 0 scores all alike."""

    def __init__(self, scale: float = 1.0) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(scale))

    def forward(self, batch: Batch) -> Tensor:
        return batch.pairs()[1].ids[:, 0] * self.scale


# Ranked by First: good 1, fair 0, bad 0; then best 0, good 1, bad 1; then no right answer at all.
ORDERED = dev({"fair": 0, "good": 1, "bad": 0}, {"bad": 1, "good": 1, "best": 0}, {"good": 0, "bad": 0})


@every(
    ("measure", "value"),
    [("MRR", (1 + 1 / 2) / 2), ("P@1", (1 + 0) / 2), ("MAP", (1 + (1 / 2 + 2 / 3) / 2) / 2), ("nDCG@1", (1 + 0) / 2)],
)
def test_a_measure_is_the_mean_over_questions_with_a_right_answer(measure, value):
    assert Dev.of(ORDERED, LEVELS, SHORT_TEXTS, measure)(First()) == pytest.approx(value)


def test_equal_scores_count_on_average_over_their_orders():
    # One of three right: RR is 1, 1/2 or 1/3; two of three: 1, 1 or 1/2.
    expected = ((1 + 1 / 2 + 1 / 3) / 3 + (1 + 1 + 1 / 2) / 3) / 2
    assert Dev.of(ORDERED, LEVELS, SHORT_TEXTS, "MRR")(First(0.0)) == pytest.approx(expected)


def test_the_level_of_relevance_and_the_gains_are_those_of_the_questions():
    graded = dev({"best": 2, "good": 3, "bad": 4}, relevant=3, gains={2: 1, 3: 2, 4: 3})
    assert Dev.of(graded, LEVELS, SHORT_TEXTS, "MRR")(First()) == pytest.approx(1 / 2)
    assert Dev.of(graded, LEVELS, SHORT_TEXTS, "nDCG@1")(First()) == pytest.approx(1 / 3)


@every(("limit", "value"), [(0, 0.75), (1, 1.0), (2, 0.75), (9, 0.75)])
def test_a_limit_takes_the_first_questions(limit, value):
    assert Dev.of(ORDERED, LEVELS, SHORT_TEXTS, "MRR", limit)(First()) == pytest.approx(value)
    empty_first = dev({}, {"good": 1, "best": 0})  # questions without candidates are passed over
    assert Dev.of(empty_first, LEVELS, SHORT_TEXTS, "MRR", 1)(First()) == pytest.approx(1 / 2)


@every(
    ("given_split", "measure", "error", "said"),
    [
        (ORDERED, "MPR", LookupError, "no measure is called 'MPR'"),
        (ORDERED, "P", ValueError, "'P' is not a measure that can be computed"),
        (dev({"good": 0}), "MRR", ValueError, "none of the 1 questions of made-up dev .* to measure MRR by"),
        (dev(), "MRR", ValueError, "none of the 0 questions of made-up dev"),
        (dev({"good": 2}, relevant=3), "MRR", ValueError, r"\(grade 3 or more\)"),
        (dev({"bad": 0}, {"good": 1}), "MRR", ValueError, "none of the 1 questions"),  # of the first one
    ],
)
def test_what_cannot_choose_an_epoch_is_refused(given_split, measure, error, said):
    with pytest.raises(error, match=said):
        Dev.of(given_split, LEVELS, SHORT_TEXTS, measure, 1)
    with pytest.raises(error, match=said):
        check_dev(given_split, measure, 1)
