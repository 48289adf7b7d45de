from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor
from torch.nn.functional import adaptive_max_pool2d

from rankers.models.match_pyramid import Config, Network, dynamic_max_pool
from rankers.modules.scoring import Batch
from tests.cases import every


def one_pair(network: Network, question: Tensor, answer: Tensor) -> Tensor:
    """The score of one question and answer without padding, (q,) and (a,) ids: each cell and each kernel by itself."""
    first, second = network.embedding(question), network.embedding(answer)
    cells = [[float(u @ v) for v in second] for u in first]
    if network.config.normalise:
        cells = [[float(u @ v) / math.sqrt(float(u @ u) * float(v @ v)) for v in second] for u in first]
    maps = torch.tensor(cells)[None]  # (1, q, a)
    for layer in network.convolutions:
        maps = convolved(maps, layer.weight, layer.bias)
    return network.score(adaptive_max_pool2d(maps, network.config.grid).flatten())[0]


def convolved(maps: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """(c, h, w) -> (c', h, w), relu of the sum over the cells around each one; beyond the edge is 0."""
    reach, (_, h, w) = weight.shape[2] // 2, maps.shape
    result = bias[:, None, None].repeat(1, h, w)
    for i in range(h):
        for j in range(w):
            for down in range(-reach, reach + 1):
                for right in range(-reach, reach + 1):
                    if 0 <= i + down < h and 0 <= j + right < w:
                        result[:, i, j] += weight[:, :, down + reach, right + reach] @ maps[:, i + down, j + right]
    return result.relu()


@pytest.mark.parametrize(
    "config",
    [Config(channels=(3, 4)), Config(channels=(2,), kernel=5, grid=(2, 2), normalise=False), Config.cpu()],
    ids=["two layers", "dot products", "cpu"],
)
def test_scores_are_those_of_each_pair_alone_computed_cell_by_cell(config, texts, embedding):
    network = Network(config, embedding()).eval()
    batch = Batch(
        texts([4, 1, 2], extra=2),
        texts([7, 1, 12, 3], seed=1),
        torch.tensor([0, 1, 2, 2, 0]),
        torch.tensor([3, 1, 2, 0, 2]),
    )
    with torch.no_grad():
        alone = [
            one_pair(
                network, batch.questions.ids[q][batch.questions.mask[q]], batch.answers.ids[a][batch.answers.mask[a]]
            )
            for q, a in zip(batch.question_of, batch.answer_of, strict=True)
        ]
        torch.testing.assert_close(network(batch), torch.stack(alone), atol=1e-5, rtol=0)


def test_the_published_settings_are_matchzoo_s():
    assert Config.paper() == Config(channels=(16, 32), kernel=3, grid=(3, 10), dropout=0.1, normalise=True)


@every(
    ("grid", "rows", "columns"),
    [((1, 1), [7, 1, 3], [9, 1, 2]), ((3, 10), [7, 1, 3], [9, 1, 2]), ((5, 2), [2], [12]), ((7, 6), [5, 5], [4, 6])],
)
def test_pools_equal_the_adaptive_pools_of_torch_on_each_map(grid, rows, columns):
    x = torch.randn(len(rows), 2, max(rows) + 2, max(columns) + 1)
    together = dynamic_max_pool(x, torch.tensor(rows), torch.tensor(columns), grid)
    for i, (height, width) in enumerate(zip(rows, columns, strict=True)):
        alone = torch.nn.functional.adaptive_max_pool2d(x[i, :, :height, :width], grid)
        assert torch.equal(together[i], alone)
