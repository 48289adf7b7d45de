"""Adversarial training: the generator's gradient is that of its expected reward, and it alone is changed by it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from rankers.models.neural_ranker import fingerprint
from rankers.modules.scoring import Batch, Encoded
from rankers.training.adversarial import Adversarial, Adversary, shifted_sigmoid
from rankers.training.sampling import Indices, TrainingSet
from rankers.training.trainer import Recipe
from rankers.types import FloatArray
from tests.cases import every
from tests.pairwise import pairwise

# One question with one right answer, row 0, and four wrong ones; the id of an answer's only word is its row plus 1.
DATA = TrainingSet(
    ["q"], ["right", "w1", "w2", "w3", "w4"], np.array([[0, 0]]), [np.array([1, 2, 3, 4])], [np.array([0])]
)
TEXTS = Encoded([[1]], [[1], [2], [3], [4], [5]])
JUDGED = np.array([0.9, 0.2, 0.8, -0.4, 1.5])  # the discriminator's scores of the answers


def judge(questions: Indices, answers: Indices) -> FloatArray:
    return JUDGED[answers]


class Liking(nn.Module):
    """The score of an answer, by the id of its only word, is a number of its own."""

    def __init__(self, *values: float) -> None:
        super().__init__()
        self.values = nn.Parameter(torch.tensor(values, dtype=torch.float32))

    def forward(self, batch: Batch) -> Tensor:
        _, answers = batch.pairs()
        return self.values[answers.ids[:, 0]]


def liking() -> Liking:
    return Liking(0.0, 0.3, -0.7, 0.5, 1.1, 0.2)


class Watched(Adversarial):
    """Keeps the gradients of its steps in the place of taking them."""

    def _step(self, loss: Tensor) -> None:
        (gradient,) = torch.autograd.grad(loss, list(self.generator.parameters()))
        self.gradients = [*getattr(self, "gradients", []), gradient]


@every(("gap", "reward"), [(0.0, 0.0), (np.log(3), 0.5), (-np.log(3), -0.5)])
def test_rewards_by_hand(gap, reward):
    assert float(shifted_sigmoid(torch.tensor(gap))) == pytest.approx(reward, abs=1e-6)


@pytest.mark.parametrize(
    ("tempered", "sampled"), pairwise([(1.0, 1.0), (0.4, 0.2)], [(1, "none"), (2, "none"), (2, "mean"), (3, "mean")])
)
def test_the_gradient_is_that_of_the_expected_reward(tempered, sampled, monkeypatch):
    (temperature, margin), (samples, baseline) = tempered, sampled
    settings = Adversary(samples=samples, pool=4, temperature=temperature, margin=margin, baseline=baseline)
    # What it should be: the gradient of -sum p_i r_i, by torch itself, over the four wrong answers.
    generator = liking()
    p = torch.softmax(generator.values[2:6] / temperature, dim=0)  # ids of answers 1 to 4
    r = shifted_sigmoid(torch.tensor(margin - (JUDGED[0] - JUDGED[1:]), dtype=torch.float32))
    (expected,) = torch.autograd.grad(-(p * r).sum(), generator.values)

    # What it is: the mean over every outcome of the draws, weighed by its probability.
    result = torch.zeros_like(expected)
    drawn = torch.multinomial
    for outcome in product(range(4), repeat=samples):
        seen: list[Tensor] = []

        def given(probabilities, n, replacement=False, *, outcome=outcome, seen=seen, **rest):
            if not replacement:
                return drawn(probabilities, n, **rest)
            seen.append(probabilities)
            return torch.tensor([outcome])

        monkeypatch.setattr(torch, "multinomial", given)
        taught = Watched(liking(), TEXTS, settings)
        taught.draw(DATA, DATA.pairs, 0, judge)
        ((probabilities,),) = seen  # of the places of the pool, which is shuffled
        (gradient,) = taught.gradients
        result += float(probabilities[list(outcome)].prod()) * gradient
    torch.testing.assert_close(result, expected, atol=1e-6, rtol=1e-4)


def test_answers_that_fool_the_discriminator_become_likelier():
    generator = Liking(*[0.0] * 6)
    adversary = Adversarial(generator, TEXTS, Adversary(pool=4, samples=50, margin=0.0, learning_rate=0.05))
    for epoch in range(40):
        adversary.draw(DATA, DATA.pairs, epoch, judge)
    learned = torch.softmax(generator.values.detach()[2:6], dim=0)
    assert float(learned[3]) > 0.5  # scored 1.5, above the right answer's .9
    assert float(learned[2]) < 0.1  # scored -.4
    assert adversary.statistics[-1].reward > adversary.statistics[0].reward
    assert adversary.statistics[-1].entropy < adversary.statistics[0].entropy == pytest.approx(1.0)


@pytest.mark.parametrize("temperature", [1e-3, 1e-6])
def test_a_cold_generator_proposes_what_it_likes_best(temperature):
    settings = Adversary(pool=4, temperature=temperature, pairs=1, samples=1, learning_rate=1e-9)
    pairs = np.repeat(DATA.pairs, 20, axis=0)
    assert set(Adversarial(liking(), TEXTS, settings).draw(DATA, pairs, 0, judge).ravel().tolist()) == {3}


def test_wrong_answers_are_drawn_without_replacement():
    pairs = np.repeat(DATA.pairs, 30, axis=0)
    for k in (2, 4):
        result = Adversarial(liking(), TEXTS, Adversary(k=k, pool=4)).draw(DATA, pairs, 0, judge)
        assert result.shape == (30, k)
        assert all(len(set(row)) == k for row in result.tolist())
        assert 0 not in result


@pytest.fixture
def players(bench):
    """``players()`` are a trainer of the discriminator and the generator it is trained against."""

    def make(seed=0, *, epochs=3, hooks=(), **settings):
        adversary = Adversary(**{"pool": 6, "k": 2, "samples": 3, "learning_rate": 0.003, "seed": seed, **settings})
        generator = Adversarial(bench.network(seed), bench.texts, adversary)
        recipe = Recipe(seed=seed, epochs=epochs, batch_size=6, learning_rate=0.01, negatives=2, keep="last")
        return bench.trainer(recipe, generator, hooks=hooks), generator

    return make


def test_the_discriminator_gets_no_gradient_from_the_generators_lesson(players, bench):
    trainer, adversary = players()
    network = trainer.network
    before, start = fingerprint(network), fingerprint(adversary.generator)
    negatives = adversary.draw(bench.data, bench.data.pairs, 0, trainer._score)
    assert fingerprint(network) == before
    assert all(parameter.grad is None for parameter in network.parameters())
    assert fingerprint(adversary.generator) != start
    assert negatives.shape == (len(bench.data.pairs), 2)


def test_proposed_answers_are_wrong_and_those_of_the_question_are_counted(players, bench):
    trainer, adversary = players(pool=12, k=12)
    negatives = adversary.draw(bench.data, bench.data.pairs, 0, trainer._score)
    rows = list(zip(bench.data.pairs[:, 0], negatives.tolist(), strict=True))
    assert not any(set(row) & set(bench.data.positives[of]) for of, row in rows)
    mine = sum(len(set(row) & set(bench.data.negatives[of])) for of, row in rows)
    assert adversary.statistics[0].own == pytest.approx(mine / negatives.size)


def test_one_seed_is_one_run_and_another_seed_another(players):
    result = []
    for seed in (0, 0, 1):
        trainer, adversary = players(seed)
        trainer.finish()
        result.append((fingerprint(trainer.network), fingerprint(adversary.generator), adversary.statistics))
    assert result[0] == result[1]
    assert not any(first == second for first, second in zip(result[0], result[2], strict=True))


def test_the_reward_and_the_entropy_of_an_epoch_are_in_its_summary():
    taught = Adversarial(liking(), TEXTS, Adversary(pool=4, samples=3))
    assert taught.summary() == ""
    taught.draw(DATA, DATA.pairs, 0, judge)
    (row,) = taught.statistics
    assert f"reward {row.reward:+.4f}, entropy {row.entropy:.4f}" in taught.summary()
