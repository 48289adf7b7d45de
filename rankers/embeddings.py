"""Tables of word vectors to start from: those of a checkpoint's input layer, or made from the training texts alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from answersim import checkpoints

if TYPE_CHECKING:
    from torch import Tensor

    from rankers.text import Vocabulary

_TABLE = "embeddings.word_embeddings.weight"


def of_checkpoint(name: str = "sentence-transformers/all-MiniLM-L6-v2") -> Tensor:
    """The input embeddings of a BERT-like checkpoint, float32, (words, d): pre-trained vectors of its word pieces.

    Raises:
        ValueError: The checkpoint has no such table in one safetensors file; names the file.
    """
    from safetensors import safe_open

    path = checkpoints.find(name).folder / "model.safetensors"
    with safe_open(path, framework="pt") as file:
        for prefix in ("", "bert.", "electra."):
            if prefix + _TABLE in file.keys():  # noqa: SIM118 # no dict
                return file.get_tensor(prefix + _TABLE).float()
    raise ValueError(f"{path} holds no {_TABLE!r}: give a checkpoint of BERT's architecture, such as all-MiniLM-L6-v2")


def of_texts(
    vocabulary: Vocabulary, texts: Iterable[str], dim: int, *, window: int = 5, length: int = 200, seed: int = 0
) -> Tensor:
    """Vectors learned from these texts, float32, (words, dim): the leading singular vectors of the positive PMI.

    Two words are together when at most ``window`` words lie between them. Row 0, padding, is 0, and so are words that
    never stand beside another. Rows have length 1 where they are not 0.

    Args:
        vocabulary: Whose words.
        texts: What is read.
        dim: How many numbers a word gets; fewer singular vectors than that are filled up with 0.
        window: How far together reaches.
        length: How many words of a text are read.
        seed: Of the start of the singular value decomposition; its signs are fixed besides.

    Source: Levy & Goldberg 2014, "Neural word embedding as implicit matrix factorization" (with U sqrt(S)).
    """
    import torch
    from scipy.sparse import csr_array
    from scipy.sparse.linalg import svds

    counts = _together(vocabulary.ids(list(texts), length), window)
    size = vocabulary.size
    vectors = np.zeros((size, dim), dtype=np.float32)
    if counts:
        rows, columns = np.array(list(counts), dtype=np.int64).T
        n = np.array(list(counts.values()), dtype=np.float64)
        totals = np.bincount(rows, weights=n, minlength=size)
        information = np.maximum(np.log(n * n.sum() / (totals[rows] * totals[columns])), 0)
        matrix = csr_array((information, (rows, columns)), shape=(size, size))
        k = min(dim, size - 2)
        u, s, _ = svds(matrix, k=k, v0=np.random.default_rng(seed).standard_normal(size))
        signs = np.sign(u[np.abs(u).argmax(axis=0), np.arange(k)])
        vectors[:, :k] = (u * signs * np.sqrt(s))[:, ::-1]
    vectors[0] = 0
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return torch.from_numpy(np.where(norms > 1e-9, vectors / np.maximum(norms, 1e-9), 0).astype(np.float32))


def _together(sequences: Sequence[Sequence[int]], window: int) -> Counter[tuple[int, int]]:
    """How often two words stand together, in both orders."""
    found: Counter[tuple[int, int]] = Counter()
    for sequence in sequences:
        for gap in range(1, window + 1):
            found.update(zip(sequence, sequence[gap:], strict=False))
            found.update(zip(sequence[gap:], sequence, strict=False))
    return found
