"""Initial tables of word vectors: the input layer of a checkpoint, or vectors learned from the training texts alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from answersim.metrics.checkpoints import search, weights
from rankers.modules import local_checkpoints
from rankers.types import FloatArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array
    from torch import Tensor

    from rankers.modules.vocabulary import Vocabulary

_DENSE = 1000  # words; a matrix of this size is decomposed in a second
_TABLE = "embeddings.word_embeddings.weight"


def of_checkpoint(name: str = "sentence-transformers/all-MiniLM-L6-v2") -> Tensor:
    """Return the input embeddings of a BERT-like checkpoint, float32, (words, d): vectors of its word pieces.

    Raise ValueError if the checkpoint has no such table in one safetensors file. The message names the file.
    """
    checkpoint = local_checkpoints.checkpoint(name)
    path = checkpoint.folder / "model.safetensors"
    if not path.is_file():
        raise ValueError(f"{path} is not there: give a checkpoint whose weights are one safetensors file")
    tensors = weights.read(checkpoint.folder)
    search.check_same(checkpoint.folder, checkpoint.fingerprint, search.fingerprint(checkpoint.folder, tensors.sha256))
    for prefix in ("", "bert.", "roberta.", "electra.", "mpnet."):
        if prefix + _TABLE in tensors.by_name:
            return tensors.by_name[prefix + _TABLE].float().clone()
    raise ValueError(
        f"{path} does not contain {_TABLE!r}: give a checkpoint of BERT's architecture, such as all-MiniLM-L6-v2"
    )


def of_texts(
    vocabulary: Vocabulary, texts: Iterable[str], dim: int, *, window: int = 5, length: int = 200, seed: int = 0
) -> Tensor:
    """Return vectors learned from these texts, float32, (words, dim): the leading singular vectors of the positive PMI.

    Two words co-occur each time that they are at most ``window`` positions apart. Row 0, padding, is 0, and so are the
    rows of words that never co-occur with another word, or never more often than by chance. Rows that are not 0 have
    length 1.

    Args:
        vocabulary: The vocabulary.
        texts: The training texts.
        dim: The dimension of a word vector. If there are fewer singular vectors, the rest is 0.
        window: The maximum distance of co-occurring words; 1 means adjacent words.
        length: The number of words of a text that are read.
        seed: The random seed of the singular value decomposition, which is iterative if there are many words.

    Source: Levy & Goldberg 2014, "Neural word embedding as implicit matrix factorization" (with U sqrt(S)).
    """
    import torch
    from scipy.sparse import csr_array

    counts = _together(vocabulary.ids(list(texts), length), window)
    size = vocabulary.size
    vectors = np.zeros((size, dim), dtype=np.float32)
    if counts:
        rows, columns = np.array(list(counts), dtype=np.int64).T
        n = np.array(list(counts.values()), dtype=np.float64)
        totals = np.bincount(rows, weights=n, minlength=size)
        information = np.maximum(np.log(n * n.sum() / (totals[rows] * totals[columns])), 0)
        u, s = _singular(csr_array((information, (rows, columns)), shape=(size, size)), dim, seed)
        vectors[:, : len(s)] = u * np.sqrt(s)
    vectors[0] = 0
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return torch.from_numpy(np.where(norms > 1e-6, vectors / np.maximum(norms, 1e-6), 0))


def _singular(matrix: csr_array[Any, Any], k: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Return the k leading left singular vectors of a symmetric matrix, in columns, and their values; all if fewer.

    The largest entry of each vector is positive.
    """
    size = matrix.shape[0]
    if size <= _DENSE:  # exact; the iteration below draws again, without a seed, if the rank is small
        values, vectors = np.linalg.eigh(matrix.toarray())
        order = np.argsort(-np.abs(values), kind="stable")[:k]
        u, s = vectors[:, order], np.abs(values[order])
    else:
        from scipy.sparse.linalg import svds

        factors = svds(matrix, k=min(k, size - 2), v0=np.random.default_rng(seed).standard_normal(size))
        u, s = factors[0][:, ::-1], factors[1][::-1]
    # The vectors of vanishing values are arbitrary: they would give isolated words a direction.
    kept = s > 1e-6 * s.max(initial=0)
    u, s = u[:, kept], s[kept]
    return u * np.sign(u[np.abs(u).argmax(axis=0), np.arange(len(s))]), s


def _together(sequences: Sequence[Sequence[int]], window: int) -> Counter[tuple[int, int]]:
    """Return how often two words co-occur, in both orders."""
    counts: Counter[tuple[int, int]] = Counter()
    for sequence in sequences:
        for gap in range(1, window + 1):
            counts.update(zip(sequence, sequence[gap:], strict=False))
            counts.update(zip(sequence[gap:], sequence, strict=False))
    return counts
