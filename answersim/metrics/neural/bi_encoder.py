"""The bi-encoder: the cosine of the sentence vectors of two answers."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from answersim._base.arrays import FloatArray
from answersim._base.device import Device
from answersim._base.errors import unknown
from answersim._base.signature import Stored, computed_once, signature
from answersim.metrics.checkpoints import sentence_folder
from answersim.metrics.checkpoints.search import Checkpoint
from answersim.metrics.definitions import definition
from answersim.metrics.neural.encoders import Encoding, Request, TextEncoder, score_shared
from answersim.metrics.neural.factories import length, network
from answersim.metrics.neural.tokens import max_length
from answersim.types import Capabilities, Metric, Pair

if TYPE_CHECKING:
    from answersim.metrics.neural.transformer import Transformer

REVISION = 1  # raise it when a number changes; it is signed


@dataclass(frozen=True)
class BiEncoder(Stored):
    """Cosine similarity of sentence vectors, between -1 and 1. It is symmetric, and 1 for an answer against itself.

    An empty answer is encoded like any other, from its special tokens only, as in sentence-transformers.

    Source: Reimers & Gurevych 2019, section 3; as "Bi-Encoder" in Mustafazade & Ebbinghaus 2022, section 4. Equal to
    the cosine of ``SentenceTransformer.encode`` within 1e-6, even if a folder names another similarity than the cosine.
    If the tokenizer pads on the left, the library shifts the positions of the shorter texts of a batch. The numbers
    here are then those of ``encode`` with ``batch_size=1``, which do not depend on the batch.
    """

    encoder: TextEncoder  # from a text to a vector
    pooling: str = "mean"  # how the token states of the last layer become one vector: "mean", "cls" or "max"
    max_length: int = 256  # longer texts are cut to so many tokens; they are counted and reported

    # Of folders of sentence-transformers that require it. The signature has these three if one is not its default.
    prompt: str = ""  # the text before every text, which is signed by its shortened SHA-256
    lower_case: bool = False  # whether texts are lower-cased first, whatever the tokenizer does
    dimensions: int | None = None  # how many numbers of a vector are used, from the first; None for all

    @computed_once
    def signature(self) -> str:
        """For example ``bi-encoder|encoder:all-MiniLM-L6-v2@.../fp32|pooling:mean|max_length:256|rev:1``."""
        signed: dict[str, Any] = {"encoder": self.encoder, "pooling": self.pooling, "max_length": self.max_length}
        if self.prompt or self.lower_case or self.dimensions:
            named = f"sha256-{hashlib.sha256(self.prompt.encode()).hexdigest()[:12]}" if self.prompt else "no"
            signed |= {"prompt": named, "lower_case": self.lower_case, "dimensions": self.dimensions or "all"}
        return signature("bi-encoder", revision=REVISION, **signed)

    @property
    def capabilities(self) -> Capabilities:
        """The capabilities for planning and cache: it shares its encoder, and runs a network."""
        return Capabilities(encoder=self.encoder, cost="model", scale="cosine")

    def request(self, pairs: Sequence[Pair]) -> Request:
        """Request one pooled vector per text: all gold answers, then all predictions."""
        texts = [self.prompt + text for text in (*(gold for gold, _ in pairs), *(pred for _, pred in pairs))]
        return Request(texts, self.max_length, pooling=self.pooling, lower_case=self.lower_case)

    def score_encoding(self, pairs: Sequence[Pair], encoding: Encoding) -> FloatArray:
        """Return the cosines, shape (n,)."""
        assert encoding.pooled is not None
        pooled = encoding.pooled[:, : self.dimensions]
        return cosine(pooled[: len(pairs)], pooled[len(pairs) :])

    def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
        """Return one cosine per pair, in order, shape (n,)."""
        return score_shared([self], pairs)[0]


def bi_encoder(encoder: Transformer, pooling: str | None = None, max_length: int | None = None) -> BiEncoder:
    """Build the bi-encoder on these weights, with the settings for sentence vectors in their folder.

    ``pooling``: the pooling, instead of that of the folder. Raise ValueError if the folder requires something that is
    not supported here; the message names it.
    """
    stored = sentence_folder.read(encoder.checkpoint)
    most = max_length or stored.max_length or encoder.max_length
    return BiEncoder(encoder, pooling or stored.pooling, most, stored.prompt, stored.lower_case, stored.dimensions)


def sentence_settings(checkpoint: Checkpoint) -> tuple[str, int]:
    """Return the pooling and the length limit of a folder that needs no other processing of texts and vectors."""
    stored = sentence_folder.read(checkpoint)
    if not stored.is_plain:
        raise ValueError(
            f"{checkpoint.folder} requires {stored}, but only the pooling and the length can be set here; remove "
            "default_prompt_name, do_lower_case and truncate_dim from its settings, or choose another model"
        )
    return stored.pooling, stored.max_length or max_length(checkpoint)


def build(
    name: str,
    *,
    lang: str,
    profile: str | None,
    model: str | os.PathLike[str] | None = None,
    adapter: str | os.PathLike[str] | None = None,
    pooling: str | None = None,
    max_length: int | None = None,
    device: Device = Device(),
) -> Metric:
    """Build the bi-encoder of this name."""
    encoder, _ = network(name, lang, profile, model, adapter, device)
    if pooling not in (None, *sentence_folder.POOLINGS):
        raise unknown("pooling", pooling, sentence_folder.POOLINGS)
    return bi_encoder(encoder, pooling, length(max_length, encoder.max_length))


BI_ENCODER, BI_ENCODER_NAMES, BI_ENCODER_ANSWERS = (
    definition(f"bi-encoder{data}", build) for data in ("", "-names", "-answers")
)


def cosine(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the cosine of each row of one array with the same row of the other, between -1 and 1, shape (n,).

    Two equal rows give 1 up to the rounding of one operation, and results are clipped to [-1, 1]. A row of zeros gives
    0. A row with a value that is not finite gives nan.

    >>> cosine(np.array([[1.0, 0.0], [3.0, 4.0]]), np.array([[0.0, 2.0], [3.0, 4.0]]))
    array([0., 1.])
    """
    with np.errstate(invalid="ignore", over="ignore"):
        product = np.einsum("nd,nd->n", first, second)
        norms = np.sqrt(np.einsum("nd,nd->n", first, first) * np.einsum("nd,nd->n", second, second))
        cosines = np.divide(product, norms, out=np.zeros_like(product), where=norms != 0)
    return np.clip(np.where(np.isfinite(product), cosines, np.nan), -1.0, 1.0)
