from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from rankers.modules.decorrelation import (
    Debiased,
    Debiasing,
    Reweighting,
    WeightLearner,
    contrast,
    dependence,
    draw,
    effective_size,
    fourier,
    products,
)
from tests.cases import every


def correlated(n: int = 140, dim: int = 12, seed: int = 0) -> Tensor:
    """Features of which every third is nearly the same, with a few samples far out."""
    generator = torch.Generator().manual_seed(seed)
    hidden = torch.randn(n, 3, generator=generator) ** 3
    return (hidden.repeat(1, dim // 3) + 0.05 * torch.randn(n, dim, generator=generator)).tanh()


def by_loops(features, drawn, rff) -> Tensor:
    """Fourier features, number by number."""
    result = torch.empty(len(drawn[0]), *features.shape)
    for k, (omega, phi) in enumerate(zip(drawn[0].flatten(), drawn[1][:, 0], strict=True)):
        for i, row in enumerate(features):
            angles = [float(x * omega + p) for x, p in zip(row, phi, strict=True)]
            low, high = min(angles), max(angles)
            for j, angle in enumerate(angles):
                inside = (angle - low) / (high - low) * math.pi / 2
                value = math.sqrt(2) * math.cos(angle)
                if rff == "code":
                    value = math.sqrt(2 / len(result)) * (math.cos(inside) + math.sin(inside))
                result[k, i, j] = value
    return result


@pytest.mark.parametrize("rff", ["code", "paper"])
def test_fourier_features_are_those_of_each_number_alone(rff):
    features = torch.randn(4, 3, generator=torch.Generator().manual_seed(1))
    drawn = draw(2, 3, torch.Generator().manual_seed(2))
    torch.testing.assert_close(fourier(features, drawn, rff), by_loops(features, drawn, rff), atol=1e-5, rtol=0)
    omega, phi = draw(5, 400, torch.Generator().manual_seed(0))
    assert (omega.shape, phi.shape) == ((5, 1, 1), (5, 1, 400))
    assert 0 <= phi.min() < 0.1  # phases go round once
    assert 6.2 < phi.max() < 2 * math.pi


def test_dependence_is_the_sum_over_pairs_of_different_features():
    mapped = 5 + torch.randn(2, 5, 3, generator=torch.Generator().manual_seed(0))
    weights = torch.tensor([1 / 6, 1 / 6, 2 / 6, 0, 2 / 6])
    expected = 0.0
    for x in mapped:
        covariance = torch.cov(x[[0, 1, 2, 2, 4, 4]].T, correction=0)  # of samples repeated as often as they weigh
        expected += float(covariance.square().sum() - covariance.diagonal().square().sum())
    assert float(dependence(products(mapped), weights)) == pytest.approx(expected, rel=1e-4)


def learned_by_loops(features: Tensor, settings: Reweighting, table: Tensor, table_logits: Tensor) -> Tensor:
    """The weights by the equations of momentum and softmax, with the learner's draws."""
    generator = torch.Generator().manual_seed(settings.seed)
    logits, speed, both = torch.ones(len(features)), torch.zeros(len(features)), torch.cat([features, table])
    for step in range(settings.epochb):
        drawn = draw(settings.num_f, features.shape[1], generator)
        free = logits.clone().requires_grad_()
        shared = torch.cat([free, table_logits]).softmax(dim=0)
        loss = dependence(products(fourier(both, drawn, settings.rff)), shared) / settings.lambda_p
        loss = loss + free.softmax(dim=0).pow(settings.decay_pow).sum()
        (gradient,) = torch.autograd.grad(loss, free)
        speed = 0.9 * speed + gradient
        logits = logits - settings.lrbl * (1 if step < settings.epochb / 2 else 0.1) * speed
    return logits


def test_weights_follow_the_published_steps_and_those_of_a_second_batch_are_learned_with_the_first():
    settings, features = Reweighting(lrbl=1.0, epochb=6, num_f=2, rows=9), correlated(18)
    logits = learned_by_loops(features[:9], settings, torch.empty(0, 12), torch.empty(0))
    learner, again = WeightLearner(settings), WeightLearner(settings)
    torch.testing.assert_close(learner(features[:9]), logits.softmax(dim=0), atol=1e-6, rtol=0)
    state = learner.state()
    torch.testing.assert_close(state["features"], features[:9])
    again.restore(state | {"generator": torch.Generator().manual_seed(settings.seed).get_state()})
    expected = learned_by_loops(features[9:], settings, state["features"], state["logits"])
    torch.testing.assert_close(again(features[9:]), expected.softmax(dim=0), atol=1e-6, rtol=0)


@pytest.mark.parametrize("settings", [Reweighting(), Reweighting(lrbl=10.0), Reweighting(lrbl=1e-3, rff="paper")])
def test_weights_are_above_zero_and_sum_to_one(settings):
    learner = WeightLearner(replace(settings, rows=30))
    for epoch, n in enumerate((30, 30, 7)):
        weights = learner(correlated(n, seed=epoch), epoch)
        assert weights.shape == (n,)
        assert (weights > 0).all()
        assert float(weights.sum()) == pytest.approx(1, abs=1e-5)


def effect(features: Tensor, settings: Reweighting, batches: int = 1) -> tuple[Tensor, float]:
    """The weights times their number, and how much dependence of the features is left on one fixed draw."""
    learner = WeightLearner(replace(settings, rows=len(features)))
    for _ in range(batches):
        weights = learner(features)
    drawn = draw(50, features.shape[1], torch.Generator().manual_seed(0))
    seen = products(fourier(features, drawn, settings.rff))
    equal = torch.full_like(weights, 1 / len(weights))
    return weights * len(weights), float(dependence(seen, weights) / dependence(seen, equal))


def test_published_settings_leave_the_weights_all_but_equal_and_others_lower_the_dependence():
    shares, _ = effect(correlated(), Reweighting(), batches=2)
    assert (float(shares.min()), float(shares.max())) == pytest.approx((1, 1), abs=0.0003)
    shares, left = effect(correlated(dim=48), Reweighting(lrbl=1.0))
    assert float(shares.max()) > 1.3
    assert effective_size(shares / 140) < 130
    assert left < 0.7  # on one fixed draw; fresh ones would be noisy
    shares, left = effect(correlated(), Reweighting(rff="paper"))  # as printed, at the published rate
    assert effective_size(shares / 140) < 120
    assert left < 0.7


@every(
    ("batches", "epoch", "expected"),
    [
        ([(4, float(i)) for i in range(10)], 0, [4.5] * 4),  # a mean of the first batches
        ([(4, float(i)) for i in range(11)], 0, [0.7 * 4.5 + 0.3 * 10] * 4),  # then an exponential one
        ([(4, 1.0), (4, 2.0)], 1, [1.3] * 4),  # after the first epoch, too
        ([(4, 1.0), (2, 3.0)], 0, [2, 2, 1, 1]),  # a short batch touches only the first rows
        ([(5, 1.0), (4, 3.0)], 0, [2] * 4),  # of a batch longer than the table, the first rows are kept
    ],
)
def test_the_table_is_a_mean_of_batches(batches, epoch, expected):
    learner = WeightLearner(Reweighting(rows=4, presave=0.7, epochb=1))
    for n, value in batches:
        assert learner(torch.full((n, 2), value), epoch=epoch).shape == (n,)
    torch.testing.assert_close(learner.state()["features"], torch.tensor(expected).float()[:, None].expand(4, 2))
    assert learner.state()["seen"].tolist() == [sum(n > row for n, _ in batches) for row in range(4)]


def test_rows_that_no_batch_has_filled_take_no_part():
    features = correlated(6)
    many, few = (WeightLearner(Reweighting(lrbl=1.0, rows=rows)) for rows in (50, 6))
    for learner in (many, few):
        learner(features)
    assert torch.equal(many(features), few(features))


def test_learning_leaves_no_gradient_and_no_trace_in_the_global_generator():
    features = correlated(20).requires_grad_()
    torch.manual_seed(0)
    before = torch.get_rng_state()
    with torch.no_grad():
        learner = WeightLearner(Reweighting(lrbl=1.0))
        weights = learner(features)
    assert not weights.requires_grad
    assert not learner(features * 2).requires_grad  # outside of no_grad, too
    assert not learner.state()["features"].requires_grad
    assert features.grad is None
    assert torch.equal(torch.get_rng_state(), before)
    assert weights.std() > 1e-4  # it did learn


@pytest.mark.parametrize("detector_dim", [1, 6])
def test_what_is_left_is_each_vector_without_its_share_of_bias(detector_dim):
    torch.manual_seed(0)
    branch, pooled = Debiasing(6, detector_dim), torch.randn(3, 6, requires_grad=True)
    built = branch(pooled)
    (built.logits.sum() + built.vectors.sum() + built.bias.sum()).backward()
    assert pooled.grad is None  # nothing goes back to what the branch reads
    for i, vector in enumerate(pooled):
        first, second = branch.transform[0], branch.transform[2]
        transformed = second(first(vector).relu()).relu()
        share = branch.detector[0](transformed).sigmoid()
        assert share.shape == (detector_dim,)
        bias = torch.stack([transformed[j] * share[min(j, detector_dim - 1)] for j in range(6)])
        clean = branch.clean[0](vector - bias).relu()
        torch.testing.assert_close(built.bias[i], bias)
        torch.testing.assert_close(built.vectors[i], clean)
        torch.testing.assert_close(built.logits[i], branch.head(clean))
    with pytest.raises(ValueError, match="detector_dim is 3, but a vector of 6 features has 1 share of bias, or 6"):
        Debiasing(6, 3)


def test_the_contrast_is_the_mean_over_vectors_of_the_printed_equation():
    generator = torch.Generator().manual_seed(0)
    pooled, vectors, bias = (torch.randn(4, 6, generator=generator) for _ in range(3))
    total = 0.0
    for h, d, b in zip(pooled, vectors, bias, strict=True):
        near, far = (math.exp(float(h @ x / (h.norm() * x.norm())) / 0.3) for x in (d, b))
        total -= math.log(near / (near + far)) / 4
    assert float(contrast(pooled, Debiased(vectors, bias, vectors), 0.3)) == pytest.approx(total, rel=1e-5)
    zeros = torch.tensor([[1.0, 0.0], [1.0, 0.0]], requires_grad=True)
    built = Debiased(torch.tensor([[0.0, 0.0], [-1.0, 0.0]]), torch.tensor([[1.0, 0.0], [0.0, 0.0]]), torch.zeros(2, 2))
    loss = contrast(zeros, built, 1e-3)  # it is finite at any temperature, and for vectors of zeros
    assert float(loss.detach()) == pytest.approx(1000)
    loss.backward()
    assert zeros.grad is not None
    assert zeros.grad.isfinite().all()
