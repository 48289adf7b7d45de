"""What chooses the best epoch is the measure it is called by, over the questions that it can tell anything of."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from rankers.modules.scoring import Batch, Lengths
from rankers.modules.vocabulary import Words
from rankers.training.sampling import Dev, check_dev
from tests.cases import every
from tests.rankers.made_questions import made

WORDS = Words(["bad", "fair", "good", "best", "who", "?"])
LENGTHS = Lengths(5, 5)
dev = partial(made, split="dev", text="who?")


class First(nn.Module):
    """The score of an answer is the place of its first word: bad < fair < good < best. ``scale`` 0 scores all alike."""

    def __init__(self, scale: float = 1.0) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(scale))

    def forward(self, batch: Batch) -> Tensor:
        return batch.pairs()[1].ids[:, 0] * self.scale


# Ranked by First: good 1, fair 0, bad 0; then best 0, good 1, bad 1; then no right answer at all.
SPLIT = dev({"fair": 0, "good": 1, "bad": 0}, {"bad": 1, "good": 1, "best": 0}, {"good": 0, "bad": 0})


@every(
    ("measure", "value"),
    [("MRR", (1 + 1 / 2) / 2), ("P@1", (1 + 0) / 2), ("MAP", (1 + (1 / 2 + 2 / 3) / 2) / 2), ("nDCG@1", (1 + 0) / 2)],
)
def test_a_measure_is_the_mean_over_questions_with_a_right_answer(measure, value):
    assert Dev.of(SPLIT, WORDS, LENGTHS, measure)(First()) == pytest.approx(value)


def test_equal_scores_count_on_average_over_their_orders():
    # One of three right: RR is 1, 1/2 or 1/3; two of three: 1, 1 or 1/2.
    expected = ((1 + 1 / 2 + 1 / 3) / 3 + (1 + 1 + 1 / 2) / 3) / 2
    assert Dev.of(SPLIT, WORDS, LENGTHS, "MRR")(First(0.0)) == pytest.approx(expected)


def test_the_level_of_relevance_and_the_gains_are_those_of_the_questions():
    graded = dev({"best": 2, "good": 3, "bad": 4}, relevant=3, gains={2: 1, 3: 2, 4: 3})
    assert Dev.of(graded, WORDS, LENGTHS, "MRR")(First()) == pytest.approx(1 / 2)
    assert Dev.of(graded, WORDS, LENGTHS, "nDCG@1")(First()) == pytest.approx(1 / 3)


@every(("limit", "value"), [(0, 0.75), (1, 1.0), (2, 0.75), (9, 0.75)])
def test_a_limit_takes_the_first_questions(limit, value):
    assert Dev.of(SPLIT, WORDS, LENGTHS, "MRR", limit)(First()) == pytest.approx(value)


def test_questions_without_candidates_are_passed_over():
    assert Dev.of(dev({}, {"good": 1, "best": 0}), WORDS, LENGTHS, "MRR", 1)(First()) == pytest.approx(1 / 2)


@every(
    ("given_split", "measure", "error", "said"),
    [
        (SPLIT, "MPR", LookupError, "no measure is called 'MPR'"),
        (SPLIT, "P", ValueError, "'P' is not a measure that can be computed"),
        (dev({"good": 0}), "MRR", ValueError, "none of the 1 questions of made-up dev .* to measure MRR by"),
        (dev(), "MRR", ValueError, "none of the 0 questions of made-up dev"),
        (dev({"good": 2}, relevant=3), "MRR", ValueError, r"\(grade 3 or more\)"),
    ],
)
def test_what_cannot_choose_an_epoch_is_refused(given_split, measure, error, said):
    refusals: list[Callable[[], object]] = [
        lambda: Dev.of(given_split, WORDS, LENGTHS, measure),
        lambda: check_dev(given_split, measure),
    ]
    for refuse in refusals:
        with pytest.raises(error, match=said):
            refuse()


def test_a_limit_that_leaves_no_right_answer_is_refused():
    late = dev({"bad": 0}, {"good": 1})
    assert np.isfinite(Dev.of(late, WORDS, LENGTHS, "MRR")(First()))
    with pytest.raises(ValueError, match="none of the 1 questions"):
        Dev.of(late, WORDS, LENGTHS, "MRR", 1)
