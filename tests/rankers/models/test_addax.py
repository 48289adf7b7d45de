"""ADDAX against the loop over pairs, its variants, and what padding, order and batches do to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from rankers.inputs.batch import Batch
from rankers.inputs.embedding import Embedding
from rankers.inputs.vocabulary import WordPieces, pad_ids
from rankers.models import late_interaction, neural_ranker
from rankers.models.addax import Config, Network
from rankers.models.addax_objective import AddaxObjective
from rankers.systems.addax import VARIANTS as PUBLISHED
from rankers.training.objective import Step

QUESTIONS = [[30, 31, 32], [9], [22, 40]]
ANSWERS = [[41, 30, 22, 9], [31, 32], [9, 9, 45, 47, 30, 31], [50]]
VARIANTS = {name: changes for name, (changes, _) in PUBLISHED.items()} | {"addax-binary": {"codes": "sign"}}
PAIRS = [(0, 2), (0, 0), (1, 1), (1, 3), (2, 2), (2, 0)]


def batch(pairs: list[tuple[int, int]] = PAIRS, extra: int = 0) -> Batch:
    made = [pad_ids(rows) for rows in (QUESTIONS, ANSWERS)]
    wide = [type(each)(*(torch.nn.functional.pad(x, (0, extra)) for x in each)) for each in made]
    return Batch(*wide, *(torch.tensor(places) for places in zip(*pairs, strict=True)))


@pytest.fixture
def network(tiny: Callable[..., Path]) -> Callable[..., Network]:
    """``network(use_mag=False)`` stands on a tiny BERT of 32 features; it starts the same each time."""

    def make(*, kind: str = "addax", **settings: Any) -> Network:
        config = Config(str(tiny("bert")), question_length=5, answer_length=9, bits=8, widths=(10, 16), **settings)
        config = replace(config, **VARIANTS[kind])
        torch.manual_seed(0)
        return Network(config, Embedding(torch.zeros(len(_words(tiny)), 2))).eval()

    return make


def _words(tiny: Callable[..., Path]) -> range:
    return range(WordPieces(str(tiny("bert"))).size)


@pytest.fixture
def step() -> Step:
    """Three questions with a right answer and a wrong one each."""
    return Step(batch(), torch.tensor([[1.0, 0.0]] * 3), torch.ones(3, 2, dtype=torch.bool))


@pytest.mark.parametrize("kind", VARIANTS)
def test_scores_are_those_of_each_pair_alone_by_the_equations_of_the_paper(
    network: Callable[..., Network], kind: str
) -> None:
    made = network(kind=kind)
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


def side(cell: Any, own: torch.Tensor, other: torch.Tensor, s: torch.Tensor) -> torch.Tensor:
    """One side of the siamese cell for texts without padding (the cell's own test has it word by word)."""
    shared = s.softmax(1) @ other
    width = s.shape[1]
    e = torch.sigmoid(s @ cell.feature.weight[:, :width].T + cell.feature.bias)
    p = torch.sigmoid(s @ cell.share.weight[:, :width].T + cell.share.bias)
    both = p * shared * e, (1 - p) * (own - shared) * (1 - e)
    return sum(both) if cell.highway is None else cell.highway(torch.cat(both, dim=-1))


def test_variants_differ_and_have_no_parameters_that_they_do_not_use(
    network: Callable[..., Network], step: Step
) -> None:
    result = {}
    for kind in VARIANTS:
        made = network(kind=kind, unfrozen_layers=1)
        AddaxObjective()(made, step).backward()
        assert all(p.grad is not None for p in made.parameters()), kind
        result[kind] = tuple(made(batch()).tolist())
    assert len(set(result.values())) == len(VARIANTS)


def test_similarities_are_scaled_by_the_root(network: Callable[..., Network]) -> None:
    made = network(kind="addax-att-mags")
    u, v = (made.encoder(pad_ids([row])).vectors[0] for row in (QUESTIONS[0], ANSWERS[2]))
    s = u @ v.T * 32**-0.5
    cosines = torch.cosine_similarity((s.softmax(1) @ v)[:, None], (s.T.softmax(1) @ u)[None], dim=-1)
    assert float(made(batch())[0]) == pytest.approx(float(cosines.amax(1).sum()), abs=1e-4)


def test_signs_are_for_scoring_only_and_need_no_other_weights(network: Callable[..., Network]) -> None:
    made, binary = network(dropout=0.0), network(kind="addax-binary", dropout=0.0)
    binary.load_state_dict(made.state_dict())
    with torch.no_grad():
        assert torch.equal(binary.train()(batch()), made.train()(batch()))
        codes = binary.eval().matched(batch()).answers
        assert set(codes.vectors[codes.mask].flatten().tolist()) == {-1.0, 1.0}
    assert (binary.config.bits_per_token, made.config.bits_per_token) == (8, 8 * 32)
    assert network(kind="addax-wo-hd").config.bits_per_token is None


def test_an_aligned_start_without_hashing_ranks_as_late_interaction(
    network: Callable[..., Network], tiny: Callable[..., Path]
) -> None:
    made = network(kind="addax-wo-hd", start="aligned", gate_bias=-100.0)
    config = late_interaction.Config(str(tiny("bert")), project=0, question_length=5, answer_length=9)
    plain = late_interaction.Network(config, Embedding(torch.zeros(made.encoder.words, 2)))
    with torch.no_grad():
        torch.testing.assert_close(made(batch()), plain(batch()), atol=1e-4, rtol=0)


def test_an_aligned_start_sends_questions_and_answers_through_one_projection(network: Callable[..., Network]) -> None:
    made = network(start="aligned", use_mag=False)
    words = torch.randn(20, 32)
    asked = torch.tanh(made.question_layer(words))
    torch.testing.assert_close(made.denoiser.raw(words), torch.tanh(asked))
    weight = made.question_layer.weight
    torch.testing.assert_close(weight @ weight.T, torch.eye(8), atol=1e-5, rtol=0)


def test_saturated_gates_are_counted(network: Callable[..., Network]) -> None:
    made = network()
    made(batch())
    calm = made.saturated_share()
    steep = network()
    for cell in (steep.question_cell, steep.answer_cell):
        cell.feature.weight.data.mul_(1000)
    steep(batch())
    assert all(one < 0.5 < other for one, other in zip(calm, steep.saturated_share(), strict=True))
    assert all(torch.tensor(each).isnan() for each in network(kind="addax-wo-mags").saturated_share())


def test_saved_weights_make_the_same_network_again(network: Callable[..., Network]) -> None:
    made, fresh = network(unfrozen_layers=1), network(unfrozen_layers=1, start="aligned")
    fresh.load_state_dict(neural_ranker.weights(made))
    with torch.no_grad():
        assert torch.equal(fresh(batch()), made(batch()))


def test_the_published_settings() -> None:
    paper = Config.paper()
    assert (paper.checkpoint, paper.bits, paper.dropout) == ("bert-base-uncased", 300, 0.1)
    assert (paper.alpha, paper.delta, paper.gamma) == (5, 1e-6, 0.003)
    assert replace(Config.cpu(), start="random").unfrozen_layers == 0
