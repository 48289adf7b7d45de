from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.nn.functional import conv2d, max_pool2d

from rankers.models.dmn import Config, Network
from rankers.modules.scoring import Batch, Texts

SMALL = Config(hidden=3, dense=4, question_length=7, answer_length=9)


def one_pair(network: Network, question: Tensor, answer: Tensor) -> Tensor:
    """The score of one question and answer, (q,) and (a,) ids, on a matrix filled up with 0 to its full size."""
    config = network.config
    question, answer = question[: config.question_length], answer[: config.answer_length]
    words = [network.embedding(entry[None])[0] for entry in (question, answer)]  # (length, d) each
    states = [network.reader.cell(word[None])[0][0] for word in words]  # (length, 2h) each
    matrix = torch.zeros(2, config.question_length, config.answer_length)
    for i in range(len(question)):
        for j in range(len(answer)):
            matrix[0, i, j] = words[0][i] @ words[1][j]
            matrix[1, i, j] = states[0][i] @ states[1][j]
    maps = conv2d(matrix[None], network.convolution.weight, network.convolution.bias).relu()  # "valid"
    maps[:, :, len(question) :] = 0
    maps[:, :, :, len(answer) :] = 0
    return network.score(network.dense(max_pool2d(maps, config.pool).flatten()).tanh())[0]


@pytest.mark.parametrize(
    ("lengths", "extra"),
    [
        (([4, 1, 2], [7, 1, 9, 3]), 2),
        (([7, 1, 5], [8, 9, 2, 1]), 0),
        (([2, 1, 2], [4, 1, 2, 3]), 0),
        (([9, 3, 8], [14, 2, 9, 10]), 1),
    ],
)
def test_scores_are_those_of_each_pair_alone_on_a_matrix_of_full_size(lengths, extra, texts, embedding):
    network = Network(SMALL, embedding()).eval()
    questions, answers = texts(lengths[0], extra=extra), texts(lengths[1], seed=1)
    batch = Batch(questions, answers, torch.tensor([0, 1, 2, 2, 0]), torch.tensor([3, 1, 2, 0, 2]))
    with torch.no_grad():
        alone = [
            one_pair(network, questions.ids[q][questions.mask[q]], answers.ids[a][answers.mask[a]])
            for q, a in zip(batch.question_of, batch.answer_of, strict=True)
        ]
        torch.testing.assert_close(network(batch), torch.stack(alone), atol=1e-5, rtol=0)


def test_words_beyond_its_length_are_not_read(texts, embedding):
    network = Network(SMALL, embedding()).eval()
    long = texts([12])
    short = Texts(long.ids[:, :7], long.mask[:, :7])
    answers = texts([5], seed=1)
    first = torch.tensor([0])
    assert torch.equal(network(Batch(long, answers, first, first)), network(Batch(short, answers, first, first)))


def test_the_published_settings_are_those_of_the_authors_code():
    paper = Config.paper()
    assert (paper.hidden, paper.channels, paper.kernel, paper.pool, paper.dense, paper.dropout) == (
        100,
        2,
        3,
        3,
        50,
        0.6,
    )
    assert paper.grid == (29, 29)  # 90 words, 88 places of a kernel, 29 of a pool
