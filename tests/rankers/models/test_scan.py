from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from rankers.models.scan import Config, Network, adopt, plain
from rankers.modules.scoring import Batch, Embedding


def words(folder: Path) -> Embedding:
    """A layer with as many words as the checkpoint in this folder."""
    import json

    return Embedding(torch.zeros(json.loads((folder / "config.json").read_text())["vocab_size"], 4))


def network(folder: Path, seed: int = 0, **settings: Any) -> Network:
    torch.manual_seed(seed)
    return Network(Config(**{"checkpoint": str(folder), "max_length": 40, **settings}), words(folder))


@pytest.fixture
def batch(texts):
    return Batch(
        texts([4, 1, 2], extra=2), texts([7, 1, 9], seed=1), torch.tensor([0, 1, 2, 2]), torch.tensor([2, 1, 2, 0])
    )


def test_a_score_is_the_logit_of_right_less_that_of_wrong(tiny, batch):
    net = network(tiny("bert")).eval()
    with torch.no_grad():
        pooled = net.encoder(batch)
        assert torch.equal(net.pooled(batch), pooled)
        wrong, right = net.head.weight @ pooled.T + net.head.bias[:, None]
        torch.testing.assert_close(net(batch), right - wrong)
        assert net(batch).std() > 1e-3


def test_scores_do_not_touch_the_branch(tiny, batch):
    net = network(tiny("bert"))
    assert net.debias is not None
    for p in net.debias.parameters():
        p.data.fill_(float("nan"))
    scores = net(batch)
    assert scores.isfinite().all()
    scores.sum().backward()
    assert all(p.grad is None for p in net.debias.parameters())
    assert all(p.grad is not None for name, p in net.named_parameters() if not name.startswith("debias."))


def test_a_plain_network_has_the_same_scores_and_no_branch(tiny, batch):
    net = network(tiny("bert"), seed=3).eval()
    with torch.no_grad():
        for p in net.parameters():
            p.add_(0.01)  # as training would
        bare = plain(net, words(tiny("bert")))
        assert torch.equal(bare(batch), net(batch))
    assert not [name for name, _ in bare.named_parameters() if name.startswith("debias")]
    assert bare.config == Config(checkpoint=str(tiny("bert")), max_length=40, debias=False)


def test_what_is_adopted_is_all_but_the_branch(tiny, batch):
    start, net = network(tiny("bert"), seed=1, debias=False).eval(), network(tiny("bert"), seed=2).eval()
    branch = {name: p.clone() for name, p in net.named_parameters() if name.startswith("debias.")}
    with torch.no_grad():
        assert not torch.equal(net(batch), start(batch))
        adopt(net, start)
        assert torch.equal(net(batch), start(batch))
    assert branch
    assert all(torch.equal(p, branch[name]) for name, p in net.named_parameters() if name in branch)


def test_what_is_adopted_must_be_of_the_same_encoder(tiny):
    net = network(tiny("bert"), pooler="new")
    with pytest.raises(ValueError, match=r"encoder.pooler.weight is of \[32, 32\], but not there"):
        adopt(net, network(tiny("bert"), pooler="cls"))
    with pytest.raises(ValueError, match="give one with the same checkpoint"):
        adopt(net, network(tiny("roberta"), pooler="new"))


def test_words_of_another_checkpoint_are_refused(tiny, embedding):
    with pytest.raises(ValueError, match=r"batches are of 50 words, but .* reads \d+: give the same checkpoint"):
        Network(Config(checkpoint=str(tiny("bert")), max_length=40), embedding())


def test_no_stated_detector_dim_is_one_share_of_bias_per_feature(tiny):
    net = network(tiny("bert"), detector_dim=0)
    assert net.debias is not None
    assert net.debias.detector[0].out_features == net.encoder.dim  # type: ignore[union-attr]
