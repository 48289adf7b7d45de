"""CTRN against its equations, one pair at a time, one word at a time."""

import pytest
import torch

from rankers.models.ctrn import Config, Ctrn, fo_pooling
from rankers.modules.scoring import Batch


def gated(net, gates, ids, length):
    """Z, F and O at each place up to ``length``, words followed by zero vectors."""
    dim, width = net.embedding.dim, gates.width
    words = list(net.embedding(ids[None])[0]) + [torch.zeros(dim)] * (length - len(ids))
    padded = [torch.zeros(dim)] * (width - 1) + words
    result = []
    for t in range(length):
        z, f, o = (gates.convolution.weight @ torch.cat(padded[t : t + width]) + gates.convolution.bias).chunk(3)
        result.append((z.tanh(), f.sigmoid(), o.sigmoid()))
    return result


def states(own, partner, length, crossed):
    c = crossed_c = torch.zeros_like(own[0][0])
    result = []
    for (z, f, o), (_, g, p) in list(zip(own, partner, strict=True))[:length]:
        c = f * c + (1 - f) * z
        crossed_c = g * crossed_c + (1 - g) * z
        result.append(o * c + (p * crossed_c if crossed else 0))
    return torch.stack(result)


@torch.no_grad()
@pytest.mark.parametrize("crossed", [True, False])
@pytest.mark.parametrize("width", [1, 3])
def test_states_are_composed_by_own_and_partner_s_gates(crossed, width, texts, embedding):
    torch.manual_seed(0)
    config = Config(hidden=5, width=width, crossed=crossed, similarity="cosine")
    net = Ctrn(config, embedding(4)).eval()
    questions, answers = texts([4, 1, 3], seed=1), texts([2, 6], seed=2)  # an answer shorter than its question, too
    batch = Batch(questions, answers, torch.tensor([0, 1, 1, 2]), torch.tensor([0, 0, 1, 1]))
    for score, i, j in zip(net(batch), batch.question_of, batch.answer_of, strict=True):
        asked, answered = questions.ids[i][questions.mask[i]], answers.ids[j][answers.mask[j]]
        length = max(len(asked), len(answered))
        of_question = gated(net, net.gates, asked, length)
        of_answer = gated(net, net.gates, answered, length)
        q = states(of_question, of_answer, len(asked), crossed).max(dim=0).values
        a = states(of_answer, of_question, len(answered), crossed).max(dim=0).values
        torch.testing.assert_close(score, q @ a / (q.norm() * a.norm()), rtol=0, atol=1e-5)


def test_an_open_gate_forgets_nothing_and_a_shut_one_shows_the_word():
    z = torch.tensor([[[1.0, 2.0], [3.0, 4.0]]])
    f = torch.tensor([[[0.0, 0.0], [1.0, 0.0]]])
    assert fo_pooling(z, f).tolist() == [[[1.0, 2.0], [1.0, 4.0]]]
