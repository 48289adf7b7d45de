"""Self-attention by loops over single words, to compare the kernels with."""

import math

import torch


def inputs(lengths, heads=2, d=3, extra=0, seed=0):
    """Queries, keys and values with noise at padding, and the mask."""
    mask = torch.arange(max(lengths) + extra) < torch.tensor(lengths)[:, None]
    generator = torch.Generator().manual_seed(seed)
    q, k, v = torch.randn(3, *mask.shape, heads, d, generator=generator).unbind(0)
    return q, k, v, mask


def by_loops(q, k, v, mask, sees, scale):
    """One word, one head, one text at a time; ``sees(i, j, head)`` says whether word i attends to word j."""
    out = torch.zeros_like(q)
    for n in range(len(q)):
        length = int(mask[n].sum())
        for head in range(q.shape[2]):
            for i in range(length):
                seen = [j for j in range(length) if sees(i, j, head)]
                weights = [math.exp(scale * float(q[n, i, head] @ k[n, j, head])) for j in seen]
                for weight, j in zip(weights, seen, strict=True):
                    out[n, i, head] += weight / sum(weights) * v[n, j, head]
    return out


def same(result, expected, mask):
    torch.testing.assert_close(result[mask], expected[mask], rtol=0, atol=1e-5)


def fields(kernel, length, heads):
    """For each head and word, the words from which something is taken: values are unit vectors, so outputs tell."""
    q = torch.zeros(1, length, heads, length)
    v = torch.eye(length)[None, :, None].expand(1, length, heads, length)
    taken = kernel(q, q, v, torch.ones(1, length, dtype=torch.bool))[0]  # (length, heads, length)
    return [[taken[i, head].nonzero()[:, 0].tolist() for i in range(length)] for head in range(heads)]
