"""ADDAX against the loop over pairs, its variants, and what padding, order and batches do to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from rankers.models import late_interaction, neural_ranker
from rankers.models.addax import AddaxObjective, Config, Network
from rankers.modules.batch import Embedding
from rankers.modules.vocabulary import pad_ids
from rankers.training.objective import Step
from tests.rankers.models.small_addax import ANSWERS, PAIRS, QUESTIONS, VARIANTS, batch, side


@pytest.mark.parametrize("kind", VARIANTS)
def test_scores_are_those_of_each_pair_alone_by_the_equations_of_the_paper(
    addax: Callable[..., Network], kind: str
) -> None:
    made = addax(kind=kind)
    expected = []
    with torch.no_grad():
        for q, a in PAIRS:
            u, v = (made.encoder(pad_ids([row])).vectors[0] for row in (QUESTIONS[q], ANSWERS[a]))  # (l, d), (t, d)
            s = u @ v.T / 32**0.5
            if made.config.attention_only:
                u, v = s.softmax(1) @ v, s.T.softmax(1) @ u
            elif made.config.use_mag:
                u, v = side(made.question_cell, u, v, s), side(made.answer_cell, v, u, s.T)
            if made.config.use_hashing:
                u, raw = torch.tanh(made.question_layer(u)), made.denoiser.raw(v)
                v = torch.where(raw >= 0, 1.0, -1.0) if made.config.codes == "sign" else torch.tanh(5 * raw)
            expected.append(sum(max(float(torch.cosine_similarity(x, y, dim=0)) for y in v) for x in u))
        assert made(batch()).tolist() == pytest.approx(expected, abs=1e-4)


def test_variants_differ_and_have_no_parameters_that_they_do_not_use(
    addax: Callable[..., Network], addax_step: Step
) -> None:
    result = {}
    for kind in VARIANTS:
        made = addax(kind=kind, unfrozen_layers=1)
        AddaxObjective()(made, addax_step).backward()
        assert all(p.grad is not None for p in made.parameters()), kind
        result[kind] = tuple(made(batch()).tolist())
    assert len(set(result.values())) == len(VARIANTS)


def test_similarities_are_scaled_by_the_root(addax: Callable[..., Network]) -> None:
    made = addax(kind="addax-att-mags")
    u, v = (made.encoder(pad_ids([row])).vectors[0] for row in (QUESTIONS[0], ANSWERS[2]))
    s = u @ v.T * 32**-0.5
    cosines = torch.cosine_similarity((s.softmax(1) @ v)[:, None], (s.T.softmax(1) @ u)[None], dim=-1)
    assert float(made(batch())[0]) == pytest.approx(float(cosines.amax(1).sum()), abs=1e-4)


def test_signs_are_for_scoring_only_and_need_no_other_weights(addax: Callable[..., Network]) -> None:
    made, binary = addax(dropout=0.0), addax(kind="addax-binary", dropout=0.0)
    binary.load_state_dict(made.state_dict())
    with torch.no_grad():
        assert torch.equal(binary.train()(batch()), made.train()(batch()))
        codes = binary.eval().matched(batch()).answers
        assert set(codes.vectors[codes.mask].flatten().tolist()) == {-1.0, 1.0}
    assert (binary.config.bits_per_token, made.config.bits_per_token) == (8, 8 * 32)
    assert addax(kind="addax-wo-hd").config.bits_per_token is None


def test_an_aligned_start_without_hashing_ranks_as_late_interaction(
    addax: Callable[..., Network], tiny: Callable[..., Path]
) -> None:
    made = addax(kind="addax-wo-hd", start="aligned", gate_bias=-100.0)
    config = late_interaction.Config(str(tiny("bert")), project=0, question_length=5, answer_length=9)
    plain = late_interaction.Network(config, Embedding(torch.zeros(made.encoder.words, 2)))
    with torch.no_grad():
        torch.testing.assert_close(made(batch()), plain(batch()), atol=1e-4, rtol=0)


def test_an_aligned_start_sends_questions_and_answers_through_one_projection(addax: Callable[..., Network]) -> None:
    made = addax(start="aligned", use_mag=False)
    words = torch.randn(20, 32)
    asked = torch.tanh(made.question_layer(words))
    torch.testing.assert_close(made.denoiser.raw(words), torch.tanh(asked))
    weight = made.question_layer.weight
    torch.testing.assert_close(weight @ weight.T, torch.eye(8), atol=1e-5, rtol=0)


def test_saturated_gates_are_counted(addax: Callable[..., Network]) -> None:
    made = addax()
    made(batch())
    calm = made.saturated_share()
    steep = addax()
    for cell in (steep.question_cell, steep.answer_cell):
        cell.feature.weight.data.mul_(1000)
    steep(batch())
    assert all(one < 0.5 < other for one, other in zip(calm, steep.saturated_share(), strict=True))
    assert all(torch.tensor(each).isnan() for each in addax(kind="addax-wo-mags").saturated_share())


def test_saved_weights_make_the_same_network_again(addax: Callable[..., Network]) -> None:
    made, fresh = addax(unfrozen_layers=1), addax(unfrozen_layers=1, start="aligned")
    fresh.load_state_dict(neural_ranker.weights(made))
    with torch.no_grad():
        assert torch.equal(fresh(batch()), made(batch()))


def test_the_published_settings() -> None:
    paper = Config.paper()
    assert (paper.checkpoint, paper.bits, paper.dropout) == ("bert-base-uncased", 300, 0.1)
    assert (paper.alpha, paper.delta, paper.gamma) == (5, 1e-6, 0.003)
    assert replace(Config.cpu(), start="random").unfrozen_layers == 0
