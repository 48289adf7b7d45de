"""Gated group self-attention against the paper's equations: one text at a time, one word at a time, no padding."""

from dataclasses import replace

import pytest
import torch
from torch.nn.functional import layer_norm

from rankers.models.ggsa import Config, SelfAttention
from rankers.modules.scoring import Batch
from tests.cases import every

TINY = Config(dim=6, heads=3, group=3, offsets=(0, 1), reach=1, dff=8, dropout=0.0, word_scale=1.5)
GLOBAL = replace(TINY, attention="global", gate=False, final_norm=True)
KINDS = {
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
}


def network(config, embedding, seed=0):
    torch.manual_seed(seed)
    net = SelfAttention(config, embedding(config.dim)).eval()
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.normal_(0, 0.5)  # clearly different from 0 and 1, also in the normalizations
    return net


def norm(layer, x):
    return layer_norm(x, x.shape, layer.weight, layer.bias)


def feed_forward(layers, x):
    first, _, second = layers
    return second.weight @ torch.relu(first.weight @ x + first.bias) + second.bias


def sees(config, i, j, head):
    if config.attention == "group":
        offset = config.offsets[head * len(config.offsets) // config.heads]
        return (i + offset) // config.group == (j + offset) // config.group
    return config.attention == "global" or abs(i - j) <= config.reach


def attend(config, layer, words):
    """Multi-head attention of a list of words, (D,) each."""
    d = config.dim // config.heads
    matrices = layer.inward.weight.split(config.dim)
    q, k, v = ([matrix @ word for word in words] for matrix in matrices)
    out = []
    for i in range(len(words)):
        heads = []
        for head in range(config.heads):
            part = slice(head * d, (head + 1) * d)
            seen = [j for j in range(len(words)) if sees(config, i, j, head)]
            scores = torch.stack([q[i][part] @ k[j][part] for j in seen])
            weights = torch.softmax(scores / d**0.5, dim=0)
            heads.append(sum(weight * v[j][part] for weight, j in zip(weights, seen, strict=True)))
        out.append(layer.outward.weight @ torch.cat(heads))
    return out


def encoded(config, blocks, words, interactions=(), context=None):
    """The paper's equations 1 to 7 for one text."""
    for n, block in enumerate(blocks):
        mean = sum(words) / len(words)
        read = words
        if config.gate:
            read = [x * torch.sigmoid(block.gate.weight @ (x * mean) + block.gate.bias) for x in words]
        taken = attend(config, block.attention, read)
        y = [norm(block.norm, x + c) for x, c in zip(words, taken, strict=True)]
        if context is not None:
            layer = interactions[n]
            y = [norm(layer.norm, entry + feed_forward(layer.feed_forward, entry * context)) for entry in y]
        words = [entry + feed_forward(block.feed_forward, entry) for entry in y]
        if config.final_norm:
            words = [norm(block.final_norm, word) for word in words]
    return words


def words_of(net, ids):
    """Word vectors with positions, by the formula."""
    dim = net.config.dim
    result = []
    for i, word in enumerate(net.embedding(ids[None])[0]):
        angles = torch.tensor([i / 10_000 ** (2 * (j // 2) / dim) for j in range(dim)])
        even = torch.arange(dim) % 2 == 0
        result.append(word * net.config.word_scale + torch.where(even, angles.sin(), angles.cos()))
    return result


def reference(net, question_ids, answer_ids):
    """The score of one pair with max pooling and cosine."""
    config = net.config
    asked = encoded(config, net.blocks, words_of(net, question_ids))
    context = sum(asked) / len(asked) if config.interaction else None
    answered = encoded(config, net.blocks, words_of(net, answer_ids), net.interactions, context)
    q, a = (torch.stack(words).max(dim=0).values for words in (asked, answered))
    return q @ a / (q.norm() * a.norm())


@torch.no_grad()
@pytest.mark.parametrize("kind", KINDS)
def test_the_network_equals_the_equations_of_the_paper(kind, texts, embedding):
    net = network(KINDS[kind], embedding)
    questions, answers = texts([4, 1, 2], seed=1), texts([8, 1, 5], seed=2)
    batch = Batch(questions, answers, torch.tensor([0, 0, 1, 2, 1]), torch.tensor([0, 2, 0, 1, 1]))
    result = net(batch)
    assert result.shape == (5,)
    assert result.dtype == torch.float32
    for score, i, j in zip(result, batch.question_of, batch.answer_of, strict=True):
        expected = reference(net, questions.ids[i][questions.mask[i]], answers.ids[j][answers.mask[j]])
        torch.testing.assert_close(score, expected, rtol=0, atol=1e-5)


@torch.no_grad()
def test_each_part_of_the_paper_changes_the_scores(texts, embedding):
    batch = Batch(texts([4], seed=1), texts([8], seed=2), torch.tensor([0]), torch.tensor([0]))
    scores = {kind: float(network(config, embedding)(batch)) for kind, config in KINDS.items()}
    assert len({round(score, 4) for score in scores.values()}) == len(KINDS), scores


@torch.no_grad()
def test_order_matters_by_position_only(texts, embedding):
    question, answer = texts([3], seed=1), texts([5], seed=2)
    turned = answer._replace(ids=answer.ids.flip(1))
    first = torch.tensor([0])
    net = network(GLOBAL, embedding)
    assert abs(net(Batch(question, answer, first, first)) - net(Batch(question, turned, first, first))) > 1e-4


def test_what_the_paper_states_is_the_default():
    config = Config.paper()
    assert (config.dim, config.heads, config.group, config.dropout) == (300, 6, 10, 0.3)
    assert config.head_offsets == (0, 0, 0, 5, 5, 5)
    assert config.gate
    assert not config.final_norm
    assert Config.cpu().dff == 2 * Config.cpu().dim == 384


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
    assert Config(dim=12, heads=heads, offsets=offsets).head_offsets == expected


def test_an_embedding_of_another_size_is_refused_with_the_way_out(embedding):
    with pytest.raises(ValueError, match=r"8 numbers, .* dim 300: project them, Embedding\(table, dim=300\)"):
        SelfAttention(Config(), embedding(8))
