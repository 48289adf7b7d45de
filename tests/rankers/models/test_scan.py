"""SCAN: its network, what is adopted and stripped, and its objective by the equations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from rankers.models.scan import Config, Network, ScanConfig, ScanObjective, ScanStatistics, adopt, plain
from rankers.modules.decorrelation import Reweighting, WeightLearner, contrast
from rankers.modules.scoring import Batch, Embedding
from rankers.training.objective import pointwise
from rankers.training.trainer import Epoch, Step

FAST = Reweighting(lrbl=10.0, epochb=4, num_f=2, rows=6)
LABELS = torch.tensor([1, 0, 0, 0, 1, 0])  # of the six pairs of a step
BARE = ScanConfig(fd=False, ld=False)


@pytest.fixture
def network(tiny):
    """``network(debias=False)`` is on a tiny encoder, without dropout, so that two passes are alike."""

    def make(kind="bert", seed=0, **settings):
        torch.manual_seed(seed)
        config = Config(**{"checkpoint": str(tiny(kind)), "max_length": 40, "dropout": 0.0, **settings})
        return Network(config, words(tiny(kind))).eval()

    return make


def words(folder: Path) -> Embedding:
    """A layer with as many words as the checkpoint in this folder."""
    return Embedding(torch.zeros(json.loads((folder / "config.json").read_text())["vocab_size"], 4))


@pytest.fixture
def step(texts):
    """Three questions with two candidates each."""
    places = torch.arange(6)
    relevance = torch.tensor([[1.0, 0.0], [0.0, 0.0], [2.0, 0.0]])
    batch = Batch(texts([4, 1, 2], extra=2), texts([7, 1, 9, 3, 4, 2], seed=1), places // 2, places)
    return Step(batch, relevance, torch.ones(3, 2, dtype=torch.bool))


@pytest.fixture
def batch(step):
    return step.batch


def test_a_score_is_the_logit_of_right_less_that_of_wrong(network, batch):
    net = network()
    with torch.no_grad():
        pooled = net.encoder(batch)
        assert torch.equal(net.pooled(batch), pooled)
        wrong, right = net.head.weight @ pooled.T + net.head.bias[:, None]
        torch.testing.assert_close(net(batch), right - wrong)
        assert net(batch).std() > 1e-3


def test_scores_do_not_touch_the_branch(network, batch):
    net = network()
    for p in net.debias.parameters():
        p.data.fill_(float("nan"))
    scores = net(batch)
    assert scores.isfinite().all()
    scores.sum().backward()
    assert all(p.grad is None for p in net.debias.parameters())
    assert all(p.grad is not None for name, p in net.named_parameters() if not name.startswith("debias."))


def test_a_plain_network_has_the_same_scores_and_no_branch(network, batch, tiny):
    net = network(seed=3)
    with torch.no_grad():
        for p in net.parameters():
            p.add_(0.01)  # as training would
        bare = plain(net, words(tiny("bert")))
        assert torch.equal(bare(batch), net(batch))
    assert not [name for name, _ in bare.named_parameters() if name.startswith("debias")]
    assert bare.config == Config(checkpoint=str(tiny("bert")), max_length=40, dropout=0.0, debias=False)


def test_what_is_adopted_is_all_but_the_branch(network, batch):
    start, net = network(seed=1, debias=False), network(seed=2)
    branch = {name: p.clone() for name, p in net.named_parameters() if name.startswith("debias.")}
    with torch.no_grad():
        assert not torch.equal(net(batch), start(batch))
        adopt(net, start)
        assert torch.equal(net(batch), start(batch))
    assert len(branch) > 4
    assert all(torch.equal(p, branch[name]) for name, p in net.named_parameters() if name in branch)


def test_other_encoders_and_words_are_refused(network, tiny, embedding):
    net = network(pooler="new", detector_dim=0)
    assert net.debias.detector[0].out_features == net.encoder.dim  # 0 is one share of bias per feature
    with pytest.raises(ValueError, match=r"batches are of 50 words, but .* reads \d+: give the same checkpoint"):
        Network(Config(checkpoint=str(tiny("bert")), max_length=40), embedding())
    with pytest.raises(ValueError, match=r"encoder.pooler.weight is of \[32, 32\], but not there"):
        adopt(net, network(pooler="cls"))
    with pytest.raises(ValueError, match="give one with the same checkpoint"):
        adopt(net, network("roberta", pooler="new"))


def test_without_both_parts_the_loss_and_its_gradient_are_those_of_plain_fine_tuning(network, step):
    net, other = network(), network(debias=False)
    for entry in (net, other):
        loss = ScanObjective(BARE)(entry, step)
        assert torch.equal(loss, cross_entropy(entry.logits(entry.pooled(step.batch)), LABELS))
    ScanObjective(BARE)(net, step).backward()
    of_scores = pointwise(other(step.batch).view(3, 2), step.relevance, step.mask)
    torch.testing.assert_close(loss, of_scores)
    of_scores.backward()
    ours = dict(net.named_parameters())
    for name, p in other.named_parameters():
        torch.testing.assert_close(ours[name].grad, p.grad, atol=1e-6, rtol=1e-4)


def test_the_cross_entropy_of_the_branch_trains_the_branch_and_the_contrast_the_encoder(network, step):
    net = network()
    cross_entropy(net.debias(net.pooled(step.batch)).logits, LABELS).backward()
    trained = {name for name, p in net.named_parameters() if p.grad is not None}
    assert trained == {name for name, _ in net.named_parameters() if name.startswith("debias.")}
    pooled = net.pooled(step.batch)
    contrast(pooled, net.debias(pooled)).backward()
    assert net.encoder.model.embeddings.word_embeddings.weight.grad.any()
    assert net.head.weight.grad is None


@pytest.mark.parametrize(("fd", "ld"), [(True, True), (True, False), (False, True)])
def test_the_loss_is_the_sum_of_its_parts(network, step, fd, ld):
    net = network()
    pooled = net.pooled(step.batch)
    entry, weights = cross_entropy(net.logits(pooled), LABELS, reduction="none"), WeightLearner(FAST)(pooled)
    assert weights.std() > 1e-4
    expected = (weights * entry).sum() if fd else entry.mean()
    if ld:
        built = net.debias(pooled)
        expected = expected + cross_entropy(built.logits, LABELS) + contrast(pooled, built, 0.3)
    loss = ScanObjective(ScanConfig(tau=0.3, fd=fd, ld=ld, reweighting=FAST))(net, step)
    torch.testing.assert_close(loss, expected)


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


def test_the_statistics_of_an_epoch_are_of_its_steps_and_restored(network, step):
    net, learner = network(), WeightLearner(FAST)
    objective, other = (ScanObjective(ScanConfig(ld=False, reweighting=FAST)) for _ in range(2))
    objective.end_epoch(Epoch(0, 0.0, 0.0, 0.0), net)
    assert objective.statistics == []
    values = [float(objective(net, step).detach()) for _ in range(2)]
    objective.end_epoch(Epoch(1, 0.0, 0.0, 0.0), net)
    weights = [learner(net.pooled(step.batch)) for _ in range(2)]
    shares = [float(1 / weight.square().sum()) / 6 for weight in weights]
    (report,) = objective.statistics
    expected = (1, sum(shares) / 2, min(shares), 6 * max(map(float, map(torch.max, weights))), sum(values) / 2, 0, 0)
    assert report == pytest.approx(expected, rel=1e-4)
    assert report.effective < 0.999
    other.restore(objective.state())
    assert other.statistics == objective.statistics
    assert isinstance(other.statistics[0], ScanStatistics)
    for entry in (objective, other):  # a restored objective continues equally
        entry(net, step)
        entry.end_epoch(Epoch(2, 0.0, 0.0, 0.0), net)
    assert other.statistics == objective.statistics
    assert [report.epoch for report in other.statistics] == [1, 2]


def test_a_network_without_the_required_parts_is_refused(network, step):
    with pytest.raises(ValueError, match="ld is on, but the network has no debiasing branch"):
        ScanObjective(ScanConfig())(network(debias=False), step)
    with pytest.raises(TypeError, match="Linear has no pairs to reweight"):
        ScanObjective(ScanConfig())(nn.Linear(1, 1), step)
    with pytest.raises(ValueError, match="a step without any pair"):
        ScanObjective(ScanConfig())(network(), step._replace(mask=torch.zeros_like(step.mask)))
