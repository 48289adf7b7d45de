from __future__ import annotations

import math

import pytest
import torch

from rankers.modules.decorrelation import Debiased, Debiasing, contrast


@pytest.mark.parametrize("detector_dim", [1, 6])
def test_what_is_left_is_each_vector_without_its_share_of_bias(detector_dim: int) -> None:
    torch.manual_seed(0)
    branch, pooled = Debiasing(6, detector_dim), torch.randn(3, 6)
    made = branch(pooled)
    for i, vector in enumerate(pooled):
        first, second = branch.transform[0], branch.transform[2]
        transformed = second(first(vector).relu()).relu()
        share = branch.detector[0](transformed).sigmoid()
        assert share.shape == (detector_dim,)
        bias = torch.stack([transformed[j] * share[min(j, detector_dim - 1)] for j in range(6)])
        clean = branch.clean[0](vector - bias).relu()
        torch.testing.assert_close(made.bias[i], bias)
        torch.testing.assert_close(made.vectors[i], clean)
        torch.testing.assert_close(made.logits[i], branch.head(clean))


def test_no_gradient_goes_back_to_what_the_branch_reads() -> None:
    pooled = torch.randn(3, 6, requires_grad=True)
    made = Debiasing(6)(pooled)
    (made.logits.sum() + made.vectors.sum() + made.bias.sum()).backward()
    assert pooled.grad is None


def test_the_contrast_is_the_mean_over_vectors_of_the_printed_equation() -> None:
    generator = torch.Generator().manual_seed(0)
    pooled, vectors, bias = (torch.randn(4, 6, generator=generator) for _ in range(3))
    total = 0.0
    for h, d, b in zip(pooled, vectors, bias, strict=True):
        near, far = (math.exp(float(h @ x / (h.norm() * x.norm())) / 0.3) for x in (d, b))
        total -= math.log(near / (near + far)) / 4
    assert float(contrast(pooled, Debiased(vectors, bias, vectors), 0.3)) == pytest.approx(total, rel=1e-5)


def test_the_contrast_is_finite_at_any_temperature_and_for_vectors_of_zeros() -> None:
    pooled = torch.tensor([[1.0, 0.0], [1.0, 0.0]], requires_grad=True)
    made = Debiased(torch.tensor([[0.0, 0.0], [-1.0, 0.0]]), torch.tensor([[1.0, 0.0], [0.0, 0.0]]), torch.zeros(2, 2))
    loss = contrast(pooled, made, 1e-3)
    assert float(loss.detach()) == pytest.approx(1000)
    loss.backward()
    assert pooled.grad is not None
    assert pooled.grad.isfinite().all()


@pytest.mark.parametrize("side", ["vectors", "bias"])
def test_each_cosine_alone_turns_the_vector(side: str) -> None:
    pooled = torch.tensor([[1.0, 1.0]], requires_grad=True)
    parallel, zeros = torch.tensor([[1.0, 1.0]]), torch.zeros(1, 2)  # the cosine with a parallel vector is at its peak
    made = Debiased(parallel, parallel, zeros)._replace(**{side: torch.tensor([[1.0, 0.0]])})
    contrast(pooled, made).backward()
    assert pooled.grad is not None
    towards = pooled.grad[0, 1] - pooled.grad[0, 0]
    assert towards > 0.1 if side == "vectors" else towards < -0.1


def test_both_sides_of_the_contrast_get_a_gradient() -> None:
    torch.manual_seed(0)
    branch, pooled = Debiasing(6), torch.randn(3, 6, requires_grad=True)
    contrast(pooled, branch(pooled)).backward()
    assert pooled.grad is not None
    assert pooled.grad.any()
    assert branch.transform[0].weight.grad is not None
    assert branch.head.weight.grad is None  # of the cross entropy alone


def test_shares_of_bias_are_one_or_one_a_feature() -> None:
    with pytest.raises(ValueError, match="detector_dim is 3, but a vector of 6 features has 1 share of bias, or 6"):
        Debiasing(6, 3)
