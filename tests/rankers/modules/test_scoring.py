"""Scores are the same in whatever batches pairs go through a network, and scoring leaves the network as it was."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from rankers.modules import scoring
from rankers.modules.scoring import Batch, Encoded, Lengths
from rankers.modules.vocabulary import Words

unhurried = settings(deadline=None)  # the machine may be busy


class Recorder(nn.Module):
    """Scores a pair by its ids, and remembers what went through it."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.tensor(0.01, dtype=torch.float64))
        self.shapes: list[tuple[int, int]] = []

    def forward(self, batch: Batch) -> Tensor:
        questions, answers = batch.pairs()
        self.shapes.append((answers.ids.shape[0], answers.ids.shape[1]))
        assert not self.training
        return (questions.ids.sum(dim=1) * 100 + (answers.ids * answers.mask).sum(dim=1)) * self.weight


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Encoded, np.ndarray, np.ndarray]:
    text = st.lists(st.integers(1, 9), min_size=1, max_size=7)
    texts = Encoded(draw(st.lists(text, min_size=1, max_size=3)), draw(st.lists(text, min_size=1, max_size=6)))
    n = draw(st.integers(0, 12))
    rows = [
        draw(st.lists(st.integers(0, len(side) - 1), min_size=n, max_size=n))
        for side in (texts.questions, texts.answers)
    ]
    return texts, np.array(rows[0], dtype=np.int64), np.array(rows[1], dtype=np.int64)


@unhurried
@given(pairs(), st.integers(1, 40))
def test_scores_keep_their_order_in_batches_of_any_size(made, batch_words):
    texts, questions, answers = made
    network = Recorder()
    result = scoring.scores(network, texts, questions, answers, batch_words)
    expected = [
        (sum(texts.questions[q]) * 100 + sum(texts.answers[a])) / 100 for q, a in zip(questions, answers, strict=True)
    ]
    np.testing.assert_allclose(result, expected)
    assert all(n == 1 or n * width <= batch_words for n, width in network.shapes)
    assert sum(n for n, _ in network.shapes) == len(questions)


@unhurried
@given(pairs())
def test_a_batch_holds_each_text_once_and_every_pair_in_order(made):
    texts, questions, answers = made
    batch = scoring.batch(texts, questions, answers)
    assert len(batch.questions.ids) == len(set(questions.tolist()))
    assert len(batch.answers.ids) == len(set(answers.tolist()))
    for side, rows, text in zip(batch.pairs(), (questions, answers), texts, strict=True):
        assert [ids[there].tolist() for ids, there in zip(*side, strict=True)] == [text[row] for row in rows]


@pytest.mark.parametrize("training", [True, False])
def test_the_network_stays_in_its_mode_and_gets_no_gradient(training, bench):
    network = bench.network(dropout=0.5).train(training)
    before = [parameter.clone() for parameter in network.parameters()]
    rows = bench.data.pairs
    first, again = (scoring.scores(network, bench.texts, rows[:, 0], rows[:, 1]) for _ in range(2))
    assert np.array_equal(first, again)  # no dropout, whatever the mode
    assert network.training is training
    assert all(parameter.grad is None for parameter in network.parameters())
    assert all(torch.equal(old, new) for old, new in zip(before, network.parameters(), strict=True))
    assert (first.dtype, first.shape) == (np.float64, (len(rows),))


def test_questions_and_answers_are_cut_at_their_own_lengths():
    words = Words(["a", "b", "c"])
    assert scoring.encode(words, ["a b c"], ["a b c", "c"], Lengths(1, 2)) == Encoded([[2]], [[2, 3], [4]])
