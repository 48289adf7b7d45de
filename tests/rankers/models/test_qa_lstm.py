"""QA-LSTM against torch's own LSTM on one text at a time."""

import torch

from rankers.models.qa_lstm import Config, QaLstm
from rankers.modules.scoring import Batch


@torch.no_grad()
def test_max_pooling_and_cosine_over_the_states_of_an_lstm(texts, embedding):
    torch.manual_seed(0)
    net = QaLstm(Config(hidden=3), embedding(8)).eval()
    questions, answers = texts([4, 1], seed=1), texts([2, 6], seed=2)
    batch = Batch(questions, answers, torch.tensor([0, 1, 1]), torch.tensor([1, 0, 1]))
    for score, i, j in zip(net(batch), batch.question_of, batch.answer_of, strict=True):
        asked = net.reader.cell(net.embedding(questions.ids[i][questions.mask[i]])[None])[0][0]  # (length, 6)
        answered = net.reader.cell(net.embedding(answers.ids[j][answers.mask[j]])[None])[0][0]
        q, a = asked.max(dim=0).values, answered.max(dim=0).values
        torch.testing.assert_close(score, q @ a / (q.norm() * a.norm()), rtol=0, atol=1e-5)


def test_what_the_paper_states_is_the_default():
    assert (Config.paper().hidden, Config.paper().dropout) == (141, 0.0)
