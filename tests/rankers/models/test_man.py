from __future__ import annotations

import torch
from torch.nn.functional import cosine_similarity

from rankers.models.man import Config, Network
from rankers.modules.scoring import Batch


def test_scores_are_the_hops_over_the_states_of_each_pair_alone(texts, embedding):
    network = Network(Config(hidden=3), embedding()).eval()
    questions, answers = texts([4, 1, 2], extra=2), texts([7, 1, 9], seed=1)
    batch = Batch(questions, answers, torch.tensor([0, 1, 2, 2]), torch.tensor([2, 1, 2, 0]))
    matching = network.matching.composition
    with torch.no_grad():
        alone = []
        for q, a in zip(batch.question_of, batch.answer_of, strict=True):
            question, answer = (
                network.reader.cell(network.embedding(entry.ids[i][entry.mask[i]])[None])[0]  # (1, length, 2h)
                for entry, i in ((questions, q), (answers, a))
            )
            total = torch.zeros(())
            for guide in matching.question(question, torch.ones(question.shape[:2], dtype=torch.bool))[0]:
                read = matching.answer.reader.cell(answer * guide)[0].sum(dim=-1)  # (1, length)
                total += cosine_similarity(read.softmax(dim=1) @ answer[0], guide[None])[0]
            alone.append(total)
        torch.testing.assert_close(network(batch), torch.stack(alone), atol=1e-5, rtol=0)


def test_the_published_settings():
    assert Config.paper() == Config(hidden=141, hops=2, attention="sequential", dropout=0)
