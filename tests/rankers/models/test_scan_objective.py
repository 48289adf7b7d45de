from __future__ import annotations

import json
import math

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from rankers.models.scan import Config, Network, ScanConfig, ScanObjective, ScanStatistics
from rankers.modules.decorrelation import Reweighting, WeightLearner, contrast
from rankers.modules.scoring import Batch, Embedding
from rankers.training.objective import Teacher, distillation, pointwise
from rankers.training.trainer import Epoch, Step

FAST = Reweighting(lrbl=10.0, epochb=4, num_f=2, rows=6)


@pytest.fixture
def network(tiny):
    folder = tiny("bert")
    size = json.loads((folder / "config.json").read_text())["vocab_size"]

    def make(**settings):
        torch.manual_seed(0)
        config = Config(**{"checkpoint": str(folder), "max_length": 40, "dropout": 0.0, **settings})
        return Network(config, Embedding(torch.zeros(size, 4))).eval()  # no dropout: two passes are alike

    return make


@pytest.fixture
def step(texts):
    """Three questions with two candidates each."""
    places = torch.arange(6)
    relevance = torch.tensor([[1.0, 0.0], [0.0, 0.0], [2.0, 0.0]])
    batch = Batch(texts([4, 1, 2]), texts([7, 1, 9, 3, 4, 2], seed=1), places // 2, places)
    return Step(batch, relevance, torch.ones(3, 2, dtype=torch.bool))


def labels(step: Step) -> Tensor:
    return torch.tensor([1, 0, 0, 0, 1, 0])


def test_without_both_parts_the_loss_is_the_mean_cross_entropy_exactly(network, step):
    for net in (network(), network(debias=False)):
        loss = ScanObjective(ScanConfig(fd=False, ld=False))(net, step)
        assert torch.equal(loss, cross_entropy(net.logits(net.pooled(step.batch)), labels(step)))
        of_scores = pointwise(net(step.batch).view(3, 2), step.relevance, step.mask)
        torch.testing.assert_close(loss, of_scores)


def test_the_cross_entropy_is_mixed_with_what_a_teacher_says(network, step):
    net, objective = network(debias=False), ScanObjective(ScanConfig(fd=False, ld=False))
    teacher = torch.tensor([[3.0, -1.0], [math.nan, 2.0], [0.0, 1.0]])
    taught = distillation(net(step.batch).view(3, 2), teacher, 2.0)
    mixed = objective(net, step._replace(teacher=Teacher(teacher, 0.25, 2.0)))
    torch.testing.assert_close(mixed, 0.75 * objective(net, step) + 0.25 * taught)


def test_without_both_parts_the_gradient_is_that_of_plain_fine_tuning(network, step):
    net, other = network(), network(debias=False)
    ScanObjective(ScanConfig(fd=False, ld=False))(net, step).backward()
    pointwise(other(step.batch).view(3, 2), step.relevance, step.mask).backward()
    ours = dict(net.named_parameters())
    for name, p in other.named_parameters():
        assert p.grad is not None
        torch.testing.assert_close(ours[name].grad, p.grad, atol=1e-6, rtol=1e-4)


@pytest.mark.parametrize(("fd", "ld"), [(True, True), (True, False), (False, True)])
def test_the_loss_is_the_sum_of_its_parts(network, step, fd, ld):
    net = network()
    pooled = net.pooled(step.batch)
    entry, weights = cross_entropy(net.logits(pooled), labels(step), reduction="none"), WeightLearner(FAST)(pooled)
    assert weights.std() > 1e-4
    expected = (weights * entry).sum() if fd else entry.mean()
    if ld:
        assert net.debias is not None
        built = net.debias(pooled)
        expected = expected + cross_entropy(built.logits, labels(step)) + contrast(pooled, built, 0.3)
    loss = ScanObjective(ScanConfig(tau=0.3, fd=fd, ld=ld, reweighting=FAST))(net, step)
    torch.testing.assert_close(loss, expected)


def test_the_cross_entropy_of_the_branch_trains_the_branch_alone(network, step):
    net = network()
    assert net.debias is not None
    cross_entropy(net.debias(net.pooled(step.batch)).logits, labels(step)).backward()
    trained = {name for name, p in net.named_parameters() if p.grad is not None}
    assert trained == {name for name, _ in net.named_parameters() if name.startswith("debias.")}


def test_the_encoder_learns_from_the_contrast(network, step):
    net = network()
    assert net.debias is not None
    pooled = net.pooled(step.batch)
    contrast(pooled, net.debias(pooled)).backward()
    assert net.encoder.model.embeddings.word_embeddings.weight.grad.any()
    assert net.head.weight.grad is None


def test_a_pair_that_the_mask_leaves_out_counts_nowhere(network, step):
    net = network()
    mask = step.mask.clone()
    mask[1, 1] = mask[0, 1] = False
    remaining = torch.tensor([0, 2, 4, 5])
    batch = step.batch._replace(
        question_of=step.batch.question_of[remaining], answer_of=step.batch.answer_of[remaining]
    )
    alone = Step(batch, step.relevance.flatten()[remaining][:, None], torch.ones(4, 1, dtype=torch.bool))
    masked = ScanObjective(ScanConfig(reweighting=FAST))(net, step._replace(mask=mask))
    torch.testing.assert_close(masked, ScanObjective(ScanConfig(reweighting=FAST))(net, alone))
    assert masked != ScanObjective(ScanConfig(reweighting=FAST))(net, step)


def ended(objective: ScanObjective, net: nn.Module, epoch: int) -> None:
    objective.end_epoch(Epoch(epoch, 0.0, 0.0, 0.0), net)


def test_the_statistics_of_an_epoch_are_of_its_steps(network, step):
    net, objective, learner = (network(), ScanObjective(ScanConfig(ld=False, reweighting=FAST)), WeightLearner(FAST))
    ended(objective, net, 0)
    assert objective.statistics == []
    values = [float(objective(net, step).detach()) for _ in range(2)]
    ended(objective, net, 1)
    weights = [learner(net.pooled(step.batch)) for _ in range(2)]
    shares = [float(1 / weight.square().sum()) / 6 for weight in weights]
    (report,) = objective.statistics
    expected = (1, sum(shares) / 2, min(shares), 6 * max(map(float, map(torch.max, weights))), sum(values) / 2, 0, 0)
    assert report == pytest.approx(expected, rel=1e-4)
    assert report.effective < 0.999


def test_a_restored_objective_continues_equally(network, step):
    net, objective = network(), ScanObjective(ScanConfig(reweighting=FAST))
    objective(net, step)
    ended(objective, net, 1)
    other = ScanObjective(ScanConfig(reweighting=FAST))
    other.restore(objective.state())
    assert other.statistics == objective.statistics
    assert isinstance(other.statistics[0], ScanStatistics)
    for entry in (objective, other):
        entry(net, step)
        ended(entry, net, 2)
    assert other.statistics == objective.statistics
    assert [report.epoch for report in other.statistics] == [1, 2]


def test_a_network_without_the_required_parts_is_refused(network, step):
    with pytest.raises(ValueError, match="ld is on, but the network has no debiasing branch"):
        ScanObjective(ScanConfig())(network(debias=False), step)
    with pytest.raises(TypeError, match="Linear has no pairs to reweight"):
        ScanObjective(ScanConfig())(nn.Linear(1, 1), step)
    with pytest.raises(ValueError, match="a step without any pair"):
        ScanObjective(ScanConfig())(network(), step._replace(mask=torch.zeros_like(step.mask)))


def test_the_published_settings():
    result = {name: ScanConfig.published(name) for name in ("wikiqa", "selqa", "antique")}
    values = {name: (value.tau, value.reweighting.lrbl, value.reweighting.presave) for name, value in result.items()}
    assert values == {"wikiqa": (1, 1e-4, 0.7), "selqa": (0.3, 1e-4, 0.9), "antique": (0.5, 1e-3, 0.9)}
    assert ScanConfig.effective("selqa", 10.0) == ScanConfig(tau=0.3, reweighting=Reweighting(lrbl=10.0, presave=0.9))
    with pytest.raises(LookupError, match="did you mean 'wikiqa'"):
        ScanConfig.published("wikiq")


@pytest.mark.parametrize("tau", [0.0, float("nan")])
def test_a_temperature_out_of_range_is_an_error(tau):
    with pytest.raises(ValueError, match="but it must be a number above 0"):
        ScanConfig(tau=tau)
