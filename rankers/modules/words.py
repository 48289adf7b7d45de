"""The inputs of a network: a vocabulary and the table of the vectors of its words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rankers.modules.vocabulary import Vocabulary, WordPieces, Words
from rankers.settings import check_choices, check_least

if TYPE_CHECKING:
    from torch import Tensor

    from rankers.modules.embedding import Embedding

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
        from rankers.modules.embedding import Embedding

        config = self.config
        return Embedding(self.table, trainable=config.trainable, dim=config.project, normalise=config.normalise)


def build(config: InputConfig, texts: Sequence[str], seed: int = 0) -> Inputs:
    """Build the inputs of a network for training on these texts.

    Args:
        config: The settings of words and their vectors.
        texts: The texts that words and vectors are learned from. Those of a checkpoint are not learned.
        seed: The random seed of random vectors, and of the decomposition for learned vectors.

    Raises:
        CheckpointNotFoundError, ValueError: If there is no such checkpoint, or it has no table of word pieces.
    """
    import torch

    from rankers.modules import vectors
    from rankers.modules.embedding import random_table

    if config.source == "checkpoint":
        return _of_checkpoint(config)
    words = Words.learn(texts, at_least=config.at_least)
    if config.source == "corpus":
        table = vectors.of_texts(words, texts, config.size, seed=seed)
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
    """Load the inputs that ``save`` wrote to this folder. Those of a checkpoint are found by its name.

    Raises:
        FileNotFoundError, ValueError: If a file of the inputs is missing or damaged. The message names it.
    """
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
    from rankers.modules import local_checkpoints, vectors

    table = vectors.of_checkpoint(config.checkpoint)
    vocabulary = WordPieces(config.checkpoint)
    signed = local_checkpoints.checkpoint(config.checkpoint).fingerprint
    return Inputs(config, vocabulary, table, f"{signed}/input{_kind(config)}")


def _signed(config: InputConfig, words: Words, table: Tensor) -> Inputs:
    digest = sha256(table.contiguous().numpy().tobytes()).hexdigest()[:12]
    return Inputs(config, words, table, f"{words.fingerprint}/{digest}{_kind(config)}")


def _kind(config: InputConfig) -> str:
    """Return what decides a vector besides the table. A projection is part of the weights of the network."""
    return "" if config.normalise else "/as-it-is"
