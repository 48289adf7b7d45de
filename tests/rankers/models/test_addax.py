"""ADDAX against the loop over pairs, its variants, and what padding, order and batches do to it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from rankers.models import late_interaction
from rankers.models.addax import AddaxObjective, Config, Constraints, Network
from rankers.modules.mag import quantization, reconstruction
from rankers.modules.scoring import Batch, Embedding, pad_ids
from rankers.modules.vocabulary import WordPieces
from rankers.training import objective
from rankers.training.objective import Epoch, Step
from rankers.training.trainer import Recipe

QUESTIONS = [[30, 31, 32], [9], [22, 40]]

ANSWERS = [[41, 30, 22, 9], [31, 32], [9, 9, 45, 47, 30, 31], [50]]

VARIANTS: dict[str, dict[str, Any]] = {
    "addax": {},
    "addax-wo-mags": {"use_mag": False},
    "addax-wo-hw": {"use_highway": False},
    "addax-wo-hd": {"use_hashing": False},
    "addax-att-mags": {"attention_only": True, "use_hashing": False},
    "addax-att-mags-hd": {"attention_only": True},
    "addax-binary": {"codes": "sign"},
}

PAIRS = [(0, 2), (0, 0), (1, 1), (1, 3), (2, 2), (2, 0)]


def batch(pairs: list[tuple[int, int]] = PAIRS) -> Batch:
    results = [pad_ids(rows) for rows in (QUESTIONS, ANSWERS)]
    return Batch(*results, *(torch.tensor(places) for places in zip(*pairs, strict=True)))


def side(cell: Any, own: torch.Tensor, other: torch.Tensor, s: torch.Tensor) -> torch.Tensor:
    """One side of the siamese cell for texts without padding (the cell's own test has it word by word)."""
    shared = s.softmax(1) @ other
    width = s.shape[1]
    e = torch.sigmoid(s @ cell.feature.weight[:, :width].T + cell.feature.bias)
    p = torch.sigmoid(s @ cell.share.weight[:, :width].T + cell.share.bias)
    both = p * shared * e, (1 - p) * (own - shared) * (1 - e)
    return sum(both) if cell.highway is None else cell.highway(torch.cat(both, dim=-1))


@pytest.fixture
def addax(tiny):
    """``addax(use_mag=False)`` has no cells. It is on a tiny BERT of 32 features, and starts the same each time."""

    def make(*, kind="addax", **settings):
        config = Config(str(tiny("bert")), question_length=5, answer_length=9, bits=8, widths=(10, 16), **settings)
        config = replace(config, **VARIANTS[kind])
        torch.manual_seed(0)
        return Network(config, Embedding(torch.zeros(WordPieces(str(tiny("bert"))).size, 2))).eval()

    return make


@pytest.fixture
def addax_step():
    """Three questions with a right answer and a wrong one each."""
    return Step(batch(), torch.tensor([[1.0, 0.0]] * 3), torch.ones(3, 2, dtype=torch.bool))


@pytest.mark.parametrize("kind", VARIANTS)
def test_scores_are_those_of_each_pair_alone_by_the_equations_of_the_paper(addax, kind):
    built = addax(kind=kind)
    expected = []
    with torch.no_grad():
        for q, a in PAIRS:
            u, v = (built.encoder(pad_ids([row])).vectors[0] for row in (QUESTIONS[q], ANSWERS[a]))  # (l, d), (t, d)
            s = u @ v.T / 32**0.5
            if built.config.attention_only:
                u, v = s.softmax(1) @ v, s.T.softmax(1) @ u
            elif built.config.use_mag:
                u, v = side(built.question_cell, u, v, s), side(built.answer_cell, v, u, s.T)
            if built.config.use_hashing:
                u, raw = torch.tanh(built.question_layer(u)), built.denoiser(v).raw
                v = torch.where(raw >= 0, 1.0, -1.0) if built.config.codes == "sign" else torch.tanh(5 * raw)
            expected.append(sum(max(float(torch.cosine_similarity(x, y, dim=0)) for y in v) for x in u))
        assert built(batch()).tolist() == pytest.approx(expected, abs=1e-4)


def test_variants_differ_and_have_no_parameters_that_they_do_not_use(addax, addax_step):
    result = {}
    for kind in VARIANTS:
        built = addax(kind=kind, unfrozen_layers=1)
        AddaxObjective()(built, addax_step).backward()
        assert all(p.grad is not None for p in built.parameters()), kind
        result[kind] = tuple(built(batch()).tolist())
    assert len(set(result.values())) == len(VARIANTS)


def test_signs_are_for_scoring_only_and_need_no_other_weights(addax):
    built, binary = addax(dropout=0.0), addax(kind="addax-binary", dropout=0.0)
    binary.load_state_dict(built.state_dict())
    with torch.no_grad():
        assert torch.equal(binary.train()(batch()), built.train()(batch()))
        codes = binary.eval().matched(batch()).answers
        assert set(codes.vectors[codes.mask].flatten().tolist()) == {-1.0, 1.0}


def test_an_aligned_start_without_hashing_ranks_as_late_interaction(addax, tiny):
    built = addax(kind="addax-wo-hd", start="aligned", gate_bias=-100.0)
    config = late_interaction.Config(str(tiny("bert")), project=0, question_length=5, answer_length=9)
    plain = late_interaction.Network(config, Embedding(torch.zeros(built.encoder.words, 2)))
    with torch.no_grad():
        torch.testing.assert_close(built(batch()), plain(batch()), atol=1e-4, rtol=0)


def test_an_aligned_start_sends_questions_and_answers_through_one_projection(addax):
    built = addax(start="aligned", use_mag=False)
    words = torch.randn(20, 32)
    asked = torch.tanh(built.question_layer(words))
    torch.testing.assert_close(built.denoiser(words).raw, torch.tanh(asked))
    weight = built.question_layer.weight
    torch.testing.assert_close(weight @ weight.T, torch.eye(8), atol=1e-5, rtol=0)


def test_the_objective_is_the_hinge_and_both_constraints(addax, addax_step):
    for reduction in ("word", "text"):
        built = addax(delta=0.01, gamma=0.3, l2_reduction=reduction)
        with torch.no_grad():
            result = AddaxObjective(0.7)(built, addax_step)
            scores = built(addax_step.batch).view(3, 2)
            expected = objective.hinge(scores, addax_step.relevance, addax_step.mask, 0.7)
            words = torch.cat([hybrid(built, pair) for pair in PAIRS])  # H_D of all words
            hashed = built.denoiser(words)
            expected += 0.01 * quantization(hashed, 6) + 0.3 * reconstruction(hashed, words, 6, reduction)
        torch.testing.assert_close(result, expected, atol=1e-5, rtol=1e-5)
    plain = addax(use_hashing=False, delta=9.0, gamma=9.0)
    scores = plain(addax_step.batch).view(3, 2)
    assert torch.equal(
        AddaxObjective()(plain, addax_step), objective.hinge(scores, addax_step.relevance, addax_step.mask)
    )


def hybrid(built: Network, pair: tuple[int, int]) -> torch.Tensor:
    """H_D of a pair."""
    u, v = (built.encoder(pad_ids([row])).vectors[0] for row in (QUESTIONS[pair[0]], ANSWERS[pair[1]]))
    return side(built.answer_cell, v, u, (u @ v.T / 32**0.5).T)


def test_the_objective_of_another_network_is_refused_and_the_recipe_decides_the_margin(addax_step):
    with pytest.raises(TypeError, match="was given a Linear"):
        AddaxObjective()(torch.nn.Linear(1, 1), addax_step)
    assert Constraints().resolve(Recipe(margin=0.3)).build().margin == 0.3


def test_the_statistics_of_an_epoch_have_its_codes(addax, addax_step):
    built, objective = addax(), AddaxObjective()
    objective.end_epoch(Epoch(0, 0.0, 0.0, 0.0), built)
    assert (objective.statistics, objective.summary()) == ([], "")
    with torch.no_grad():
        values = [float(objective(built, addax_step)) for _ in range(2)]
        matched = built.matched(addax_step.batch)
    objective.end_epoch(Epoch(1, 0.0, 0.0, 0.0), built)
    (report,) = objective.statistics
    assert report[1:4] == pytest.approx((report.hinge, float(matched.quantization), float(matched.reconstruction)))
    assert values[0] == pytest.approx(report.hinge + 1e-6 * report.quantization + 0.003 * report.reconstruction)
    assert objective.summary() == f"L1 {report.quantization:.4g}, L2 {report.reconstruction:.4g}"
