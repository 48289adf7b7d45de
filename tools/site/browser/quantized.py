"""The encoder of the page: vectors that onnxruntime-web computes, behind the bi-encoder of the package.

The page calls ``needed`` with the texts of a table, gets token ids, runs the network on them, and returns the vectors
by ``store``. ``BiEncoder`` of the package then computes the scores. Its signature names the 8-bit weights.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answersim.neural.bi_encoder import BiEncoder
from answersim.neural.encoders import Encoding, Request

try:
    from tools.site.browser.wordpieces import WordPieces
except ModuleNotFoundError:  # in the page, the files are beside each other
    from wordpieces import WordPieces  # type: ignore[no-redef,import-not-found]

NAME = "bi-encoder (8-bit)"
MAX_LENGTH = 256  # of all-MiniLM-L6-v2


@dataclass(frozen=True)
class QuantizedEncoder:
    """An encoder of single texts into mean vectors, with weights of 8 bits.

    Attributes:
        fingerprint: The name, the first digits of the SHA-256 of the ONNX file, and the precision.
        tokenizer: From texts to token ids.
        vectors: By token ids; filled by ``store``.
    """

    fingerprint: str
    tokenizer: WordPieces = field(compare=False)
    vectors: dict[tuple[int, ...], NDArray[np.float64]] = field(compare=False, default_factory=dict)

    def ids(self, text: str, max_length: int = MAX_LENGTH) -> tuple[int, ...]:
        """Return the token ids of a text."""
        return tuple(self.tokenizer.ids(text, max_length)[0])

    def encode(self, requests: Sequence[Request]) -> list[Encoding]:
        """Return the vectors of each request. Raises: LookupError if a text was not stored, or more is requested."""
        return [self._encoding(request) for request in requests]

    def truncated(self, request: Request) -> NDArray[np.bool_]:
        """Return whether tokens of each text of a request are cut off, shape (n,)."""
        cut = [self.tokenizer.ids(text, request.max_length)[1] for text in request.texts]
        return np.array(cut, dtype=np.bool_)

    def _encoding(self, request: Request) -> Encoding:
        if request.pooling != "mean" or request.layer is not None or request.lower_case:
            raise LookupError(f"the page has mean vectors only, not layer {request.layer}, {request.pooling!r}")
        keys = [self.ids(text, request.max_length) for text in request.texts]
        missing = sum(key not in self.vectors for key in keys)
        if missing:
            raise LookupError(f"{missing} texts have no vector; score the table again")
        return Encoding(
            length=np.array([len(key) for key in keys], dtype=np.int64),
            row=np.zeros(len(keys), dtype=np.int64),
            states=None,
            content={},
            tokens={},
            pooled=np.array([self.vectors[key] for key in keys]),
            n_truncated=int(self.truncated(request).sum()),
        )


_metric: BiEncoder | None = None


def start(tables: str, digest: str, model: Any) -> None:
    """Make the metric.

    Args:
        tables: The file of the tokenizer, JSON.
        digest: The SHA-256 that the ONNX file must have.
        model: The bytes of that file.

    Raises:
        ValueError: If the file has another digest.
    """
    global _metric
    found = hashlib.sha256(model).hexdigest()
    if found != digest:
        raise ValueError(f"the encoder has the SHA-256 {found}, but {digest} is pinned; load the page again")
    encoder = QuantizedEncoder(f"all-MiniLM-L6-v2@{digest[:12]}/int8", WordPieces(json.loads(tables)))
    _metric = BiEncoder(encoder, "mean", MAX_LENGTH)


def metric() -> BiEncoder:
    """Return the metric. Raises: LookupError if its encoder was not started."""
    if _metric is None:
        raise LookupError(f"the encoder of {NAME} is not loaded; choose the metric again")
    return _metric


def needed(texts: Iterable[str]) -> list[list[int]]:
    """Return the token ids of which there are no vectors yet, the shortest first."""
    encoder = metric().encoder
    assert isinstance(encoder, QuantizedEncoder)
    found = {encoder.ids(text) for text in texts} - encoder.vectors.keys()
    return sorted(map(list, found), key=lambda ids: (len(ids), ids))


def store(ids: Sequence[Sequence[int]], vectors: Any) -> None:
    """Keep the vectors of token ids, fp32, one after another."""
    encoder = metric().encoder
    assert isinstance(encoder, QuantizedEncoder)
    rows = np.frombuffer(vectors, dtype=np.float32).reshape(len(ids), -1).astype(np.float64)
    encoder.vectors.update({tuple(key): row for key, row in zip(ids, rows, strict=True)})
