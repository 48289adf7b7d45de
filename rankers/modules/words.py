"""The inputs of a network: a vocabulary and the vectors of its words, of a checkpoint or learned from texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from answersim.metrics.checkpoints import search, weights
from rankers.modules import local_checkpoints
from rankers.modules.scoring import Embedding, random_table
from rankers.modules.vocabulary import Vocabulary, WordPieces, Words
from rankers.settings import check_choices, check_least
from rankers.types import FloatArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array


MINILM = "sentence-transformers/all-MiniLM-L6-v2"
SOURCES = ("checkpoint", "corpus", "random")
_WORDS, _TABLE = "words.json", "words.safetensors"


@dataclass(frozen=True)
class InputConfig:
    """The settings of words and their vectors."""

    # "checkpoint" (word pieces and input vectors of a pre-trained encoder, instead of GloVe), "corpus" (words and
    # vectors learned from the training texts) or "random" (words of the training texts)
    source: str = "checkpoint"
    checkpoint: str = MINILM  # the encoder, for the source "checkpoint"
    size: int = 100  # the dimension of a vector, for the other sources
    at_least: int = 2  # the minimum number of occurrences of a word in the training texts, for the other sources
    trainable: bool = False  # whether training may change the vectors
    project: int = 0  # the dimension of a trained projection of the vectors; 0 for none
    normalise: bool = True  # whether to normalize the vectors to length 1 first

    def __post_init__(self) -> None:
        """Check the settings.

        Raise LookupError if no source has this name. Raise ValueError if a number is out of its range. The message
        gives the name, the value and the rule.
        """
        check_choices(self, source=SOURCES)
        check_least(self, 1, "size", "at_least")
        check_least(self, 0, "project")


class Inputs(NamedTuple):
    """A vocabulary, the vectors of its words, and the fingerprint of both."""

    config: InputConfig  # the settings that they were built with
    vocabulary: Vocabulary  # the vocabulary, which converts texts to ids
    table: Tensor  # the word vectors, float32, (words, d)
    fingerprint: str  # a hash of the inputs. Equal fingerprints give equal ids, and equal vectors before training.

    def embedding(self) -> Embedding:
        """Return a new layer on the table, with its projection drawn from the random state of torch."""
        config = self.config
        return Embedding(self.table, trainable=config.trainable, dim=config.project, normalise=config.normalise)


def build(config: InputConfig, texts: Sequence[str], seed: int = 0) -> Inputs:
    """Build the inputs of a network for training on these texts. Words and vectors of a checkpoint are not learned.

    The seed is that of random vectors, and of the decomposition for learned ones.
    """
    if config.source == "checkpoint":
        return _of_checkpoint(config)
    words = Words.learn(texts, at_least=config.at_least)
    if config.source == "corpus":
        table = of_texts(words, texts, config.size, seed=seed)
    else:
        table = random_table(words.size, config.size, torch.Generator().manual_seed(seed))
    return _signed(config, words, table)


def save(inputs: Inputs, folder: Path) -> None:
    """Save the words and vectors that were learned from texts. The others are found again elsewhere."""
    from safetensors.torch import save_file

    if isinstance(inputs.vocabulary, Words):
        inputs.vocabulary.save(folder / _WORDS)
        save_file({"table": inputs.table.contiguous()}, folder / _TABLE)


def load(config: InputConfig, folder: Path) -> Inputs:
    """Load the inputs that ``save`` wrote to this folder. Those of a checkpoint are found by its name."""
    if config.source == "checkpoint":
        return _of_checkpoint(config)
    vocabulary, stored = Words.read(folder / _WORDS), tensors(folder / _TABLE)
    table = stored.get("table")
    if table is None or table.dim() != 2 or len(table) != vocabulary.size or not table.is_floating_point():
        raise ValueError(
            f"{folder / _TABLE} has no vector for each of the {vocabulary.size} words of {folder / _WORDS}: train the "
            "ranker again, or copy its folder again"
        )
    return _signed(config, vocabulary, table)


def tensors(path: Path) -> dict[str, Tensor]:
    """Return the tensors in this safetensors file, by name. Raise ValueError with the file if it is damaged."""
    from safetensors import SafetensorError
    from safetensors.torch import load

    if not path.is_file():
        raise FileNotFoundError(f"{path} is not there: train the ranker again, or copy its folder again")
    try:
        return load(path.read_bytes())  # a mapped file could change the tensors later
    except SafetensorError as error:
        raise ValueError(f"{path} is damaged ({error}): train the ranker again, or copy its folder again") from error


def _of_checkpoint(config: InputConfig) -> Inputs:
    table = of_checkpoint(config.checkpoint)
    vocabulary = WordPieces(config.checkpoint)
    signed = local_checkpoints.checkpoint(config.checkpoint).fingerprint
    return Inputs(config, vocabulary, table, f"{signed}/input{_kind(config)}")


def _signed(config: InputConfig, words: Words, table: Tensor) -> Inputs:
    digest = sha256(table.contiguous().numpy().tobytes()).hexdigest()[:12]
    return Inputs(config, words, table, f"{words.fingerprint}/{digest}{_kind(config)}")


def _kind(config: InputConfig) -> str:
    """Return what decides a vector besides the table. A projection is part of the weights of the network."""
    return "" if config.normalise else "/as-it-is"


_DENSE = 1000  # words; a matrix of this size is decomposed in a second
_LAYER = "embeddings.word_embeddings.weight"


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
        if prefix + _LAYER in tensors.by_name:
            return tensors.by_name[prefix + _LAYER].float().clone()
    raise ValueError(
        f"{path} does not contain {_LAYER!r}: give a checkpoint of BERT's architecture, such as all-MiniLM-L6-v2"
    )


def of_texts(
    vocabulary: Vocabulary, texts: Iterable[str], dim: int, *, window: int = 5, length: int = 200, seed: int = 0
) -> Tensor:
    """Return vectors learned from these texts, float32, (words, dim): the leading singular vectors of the positive PMI.

    Two words co-occur each time that they are at most ``window`` positions apart, in the first ``length`` words of a
    text. Row 0, padding, is 0, and so are the rows of words that never co-occur with another word, or never more often
    than by chance. Rows that are not 0 have length 1. If there are fewer singular vectors than ``dim``, the rest is 0.
    The seed is that of the decomposition, which is iterative if there are many words.

    Source: Levy & Goldberg 2014, "Neural word embedding as implicit matrix factorization" (with U sqrt(S)).
    """
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
