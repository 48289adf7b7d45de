"""The networks on word vectors against their equations: one pair at a time, one word at a time, without padding."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch import Tensor
from torch.nn.functional import adaptive_max_pool2d, conv2d, cosine_similarity, layer_norm, max_pool2d

from rankers.models import ctrn, dmn, ggsa, man, match_pyramid, qa_lstm
from rankers.modules.scoring import Batch
from tests.cases import every


def vectors(net, ids: Tensor) -> Tensor:
    """The word vectors of one text, (length, d)."""
    return net.embedding(ids[None])[0]


def cosine(first: Tensor, second: Tensor) -> Tensor:
    return first @ second / (first.norm() * second.norm())


def by_match_pyramid(net, question, answer):
    first, second = vectors(net, question), vectors(net, answer)
    cells = [[float(u @ v) for v in second] for u in first]
    if net.config.normalise:
        cells = [[float(u @ v) / math.sqrt(float(u @ u) * float(v @ v)) for v in second] for u in first]
    maps = torch.tensor(cells)[None]  # (1, q, a)
    for layer in net.convolutions:
        maps = convolved(maps, layer.weight, layer.bias)
    return net.score(adaptive_max_pool2d(maps, net.config.grid).flatten())[0]


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


def by_dmn(net, question, answer):
    """On a matrix filled up with 0 to its full size."""
    config = net.config
    question, answer = question[: config.question_length], answer[: config.answer_length]
    words = [vectors(net, ids) for ids in (question, answer)]
    states = [net.reader.cell(word[None])[0][0] for word in words]  # (length, 2h) each
    matrix = torch.zeros(2, config.question_length, config.answer_length)
    for i in range(len(question)):
        for j in range(len(answer)):
            matrix[0, i, j] = words[0][i] @ words[1][j]
            matrix[1, i, j] = states[0][i] @ states[1][j]
    maps = conv2d(matrix[None], net.convolution.weight, net.convolution.bias).relu()  # "valid"
    maps[:, :, len(question) :] = 0
    maps[:, :, :, len(answer) :] = 0
    return net.score(net.dense(max_pool2d(maps, config.pool).flatten()).tanh())[0]


def by_man(net, question, answer):
    matching = net.matching.composition
    asked, answered = (net.reader.cell(vectors(net, ids)[None])[0] for ids in (question, answer))  # (1, length, 2h)
    total = torch.zeros(())
    for guide in matching.question(asked, torch.ones(asked.shape[:2], dtype=torch.bool))[0]:
        read = matching.answer.reader.cell(answered * guide)[0].sum(dim=-1)  # (1, length)
        total += cosine_similarity(read.softmax(dim=1) @ answered[0], guide[None])[0]
    return total


def by_qa_lstm(net, question, answer):
    """Max pooling and cosine over the states of an LSTM of torch."""
    return cosine(*(net.reader.cell(vectors(net, ids)[None])[0][0].max(dim=0).values for ids in (question, answer)))


def by_ctrn(net, question, answer):
    """States are composed by own and partner's gates; shorter texts are followed by zero vectors."""
    length = max(len(question), len(answer))
    sides = [gated(net, ids, length) for ids in (question, answer)]
    pools = []
    for own, partner, ids in zip(sides, sides[::-1], (question, answer), strict=True):
        c = crossed_c = torch.zeros_like(own[0][0])
        states = []
        for (z, f, o), (_, g, p) in list(zip(own, partner, strict=True))[: len(ids)]:
            c = f * c + (1 - f) * z
            crossed_c = g * crossed_c + (1 - g) * z
            states.append(o * c + (p * crossed_c if net.config.crossed else 0))
        pools.append(torch.stack(states).max(dim=0).values)
    return cosine(*pools)


def gated(net, ids, length):
    """Z, F and O at each place."""
    dim, gates = net.embedding.dim, net.gates
    words = list(vectors(net, ids)) + [torch.zeros(dim)] * (length - len(ids))
    padded = [torch.zeros(dim)] * (gates.width - 1) + words
    rows = [torch.cat(padded[t : t + gates.width]) for t in range(length)]
    parts = [(gates.convolution.weight @ row + gates.convolution.bias).chunk(3) for row in rows]
    return [(z.tanh(), f.sigmoid(), o.sigmoid()) for z, f, o in parts]


def by_ggsa(net, question, answer):
    """Equations 1 to 7, max pooling and cosine."""
    asked = encoded(net, positioned(net, question))
    context = sum(asked) / len(asked) if net.config.interaction else None
    answered = encoded(net, positioned(net, answer), context)
    return cosine(*(torch.stack(words).max(dim=0).values for words in (asked, answered)))


def encoded(net, words, context=None):
    config = net.config
    for n, block in enumerate(net.blocks):
        mean, read = sum(words) / len(words), words
        if config.gate:
            read = [x * torch.sigmoid(block.gate.weight @ (x * mean) + block.gate.bias) for x in words]
        taken = attend(config, block.attention, read)
        y = [norm(block.norm, x + c) for x, c in zip(words, taken, strict=True)]
        if context is not None:
            layer = net.interactions[n]
            y = [norm(layer.norm, entry + feed_forward(layer.feed_forward, entry * context)) for entry in y]
        words = [entry + feed_forward(block.feed_forward, entry) for entry in y]
        if config.final_norm:
            words = [norm(block.final_norm, word) for word in words]
    return words


def norm(layer, x):
    return layer_norm(x, x.shape, layer.weight, layer.bias)


def feed_forward(layers, x):
    first, _, second = layers
    return second.weight @ torch.relu(first.weight @ x + first.bias) + second.bias


def attend(config, layer, words):
    """Multi-head attention of a list of words, (D,) each."""
    d = config.dim // config.heads
    q, k, v = ([matrix @ word for word in words] for matrix in layer.inward.weight.split(config.dim))
    out = []
    for i in range(len(words)):
        heads = []
        for head in range(config.heads):
            place = slice(head * d, (head + 1) * d)
            seen = [j for j in range(len(words)) if sees(config, i, j, head)]
            weights = torch.softmax(torch.stack([q[i][place] @ k[j][place] for j in seen]) / d**0.5, dim=0)
            heads.append(sum(weight * v[j][place] for weight, j in zip(weights, seen, strict=True)))
        out.append(layer.outward.weight @ torch.cat(heads))
    return out


def sees(config, i, j, head):
    if config.attention == "group":
        offset = config.offsets[head * len(config.offsets) // config.heads]
        return (i + offset) // config.group == (j + offset) // config.group
    return config.attention == "global" or abs(i - j) <= config.reach


def positioned(net, ids):
    """Word vectors with positions, by the formula."""
    dim = net.config.dim
    result = []
    for i, word in enumerate(vectors(net, ids)):
        angles = torch.tensor([i / 10_000 ** (2 * (j // 2) / dim) for j in range(dim)])
        even = torch.arange(dim) % 2 == 0
        result.append(word * net.config.word_scale + torch.where(even, angles.sin(), angles.cos()))
    return result


TINY = ggsa.Config(dim=6, heads=3, group=3, offsets=(0, 1), reach=1, dff=8, dropout=0.0, word_scale=1.5)
GLOBAL = replace(TINY, attention="global", gate=False, final_norm=True)
# The network, its settings, and the score of one question and answer without padding, (q,) and (a,) ids
EQUATIONS: dict[str, tuple[type, object, Callable[..., Tensor]]] = {
    "match-pyramid": (match_pyramid.Network, match_pyramid.Config(channels=(3, 4)), by_match_pyramid),
    "match-pyramid-dot": (
        match_pyramid.Network,
        match_pyramid.Config(channels=(2,), kernel=5, grid=(5, 2), normalise=False),
        by_match_pyramid,
    ),
    "match-pyramid-cpu": (match_pyramid.Network, match_pyramid.Config.preset("cpu"), by_match_pyramid),
    "dmn": (dmn.Network, dmn.Config(hidden=3, dense=4, question_length=7, answer_length=9), by_dmn),
    "man": (man.Network, man.Config(hidden=3), by_man),
    "qa-lstm": (qa_lstm.QaLstm, qa_lstm.Config(hidden=3), by_qa_lstm),
    **{
        f"ctrn-{width}-{crossed}": (
            ctrn.Ctrn,
            ctrn.Config(hidden=5, width=width, crossed=crossed, similarity="cosine"),
            by_ctrn,
        )
        for width, crossed in ((1, True), (3, True), (3, False))
    },
    **{
        name: (ggsa.SelfAttention, config, by_ggsa)
        for name, config in {
            "global": GLOBAL,
            "local": replace(TINY, attention="local", gate=False),
            "local-gate": replace(TINY, attention="local"),
            "group": replace(TINY, offsets=(0,), gate=False),
            "group-offset": replace(TINY, gate=False),
            "ggsa": TINY,
            "iggsa": replace(TINY, interaction=True),
            "two-blocks": replace(TINY, blocks=2),
            "two-blocks-global": replace(GLOBAL, blocks=2),
            "two-blocks-iggsa": replace(TINY, blocks=2, interaction=True),
        }.items()
    },
}
# words of the questions and answers, and columns of padding
LENGTHS = [
    ([4, 1, 2], [7, 1, 9, 3], 2),
    ([7, 1, 5], [8, 9, 2, 1], 0),
    ([2, 1, 2], [4, 1, 2, 3], 0),
    ([9, 3, 8], [14, 2, 9, 10], 1),
]


@torch.no_grad()
@pytest.mark.parametrize("name", EQUATIONS)
def test_scores_are_those_of_each_pair_alone_by_the_equations(name, texts, embedding):
    network, config, alone = EQUATIONS[name]
    torch.manual_seed(0)
    net = network(config, embedding(getattr(config, "dim", 8))).eval()
    if alone is by_ggsa:
        for parameter in net.parameters():
            parameter.normal_(0, 0.5)  # clearly different from 0 and 1, also in the normalizations
    for question_lengths, answer_lengths, extra in LENGTHS:
        questions, answers = texts(question_lengths, extra=extra), texts(answer_lengths, seed=1)
        batch = Batch(questions, answers, torch.tensor([0, 1, 2, 2, 0]), torch.tensor([3, 1, 2, 0, 2]))
        expected = [
            alone(net, questions.ids[q][questions.mask[q]], answers.ids[a][answers.mask[a]])
            for q, a in zip(batch.question_of, batch.answer_of, strict=True)
        ]
        torch.testing.assert_close(net(batch), torch.stack(expected), atol=1e-5, rtol=0)


@every(
    ("heads", "offsets", "expected"),
    [
        (4, (0, 5), (0, 0, 5, 5)),
        (3, (0, 5), (0, 0, 5)),
        (1, (0, 5), (0,)),
        (3, (0, 2, 4), (0, 2, 4)),
        (2, (0,), (0, 0)),
    ],
)
def test_offsets_are_shared_out_among_the_heads(heads, offsets, expected):
    assert ggsa.Config(dim=12, heads=heads, offsets=offsets).head_offsets == expected


def test_an_embedding_of_another_size_is_refused_with_the_way_out(embedding):
    with pytest.raises(ValueError, match=r"8 numbers, .* dim 300: project them, Embedding\(table, dim=300\)"):
        ggsa.SelfAttention(ggsa.Config(), embedding(8))
