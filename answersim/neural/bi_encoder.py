"""The bi-encoder: the cosine of the two answers' sentence vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from answersim.neural.encoders import Encoding, Request, TextEncoder, judged
from answersim.neural.vectors import cosine
from answersim.signature import signature
from answersim.types import FloatArray, Pair


@dataclass(frozen=True)
class BiEncoder:
    """Cosine similarity of sentence vectors, between -1 and 1; symmetric, 1 for an answer against itself.

    An empty answer is encoded as any other (its special tokens only), as sentence-transformers does.

    Attributes:
        encoder: From a text to a vector.
        pooling: How the last layer's token states become one vector: "mean", "cls" or "max".
        max_length: Longer texts are cut to so many tokens; they are counted and reported.

    Source: Reimers & Gurevych 2019, section 3; as "Bi-Encoder" in Mustafazade & Ebbinghaus 2022, section 4. Equal to
    the cosine of ``SentenceTransformer.encode`` within 1e-6.
    """

    encoder: TextEncoder
    pooling: str = "mean"
    max_length: int = 256

    @property
    def signature(self) -> str:
        """For example ``bi-encoder|encoder:all-MiniLM-L6-v2@.../fp32|pooling:mean|max_length:256|v:0.1.0``."""
        return signature("bi-encoder", self)

    def request(self, pairs: Sequence[Pair]) -> Request:
        """One pooled vector a text: all gold answers, then all predictions."""
        texts = [gold for gold, _ in pairs] + [pred for _, pred in pairs]
        return Request(texts, self.max_length, pooling=self.pooling)

    def judge(self, pairs: Sequence[Pair], encoding: Encoding) -> FloatArray:
        """The cosines, shape (n,)."""
        assert encoding.pooled is not None
        return cosine(encoding.pooled[: len(pairs)], encoding.pooled[len(pairs) :])

    def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
        """One cosine a pair, in order, shape (n,)."""
        return judged([self], pairs)[0]
