"""The protocols of encoders, and the one pass that serves several metrics at once."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from answersim._base.arrays import FloatArray, runs
from answersim._base.errors import TruncationWarning, renumbered, warn_user
from answersim.types import Metric, Pair, check_finite

# Token states of a chunk are in memory together: the states of a million bytes of text take about 400 MB at the width
# of MiniLM.
_CHUNK_PAIRS = 8192
_CHUNK_BYTES = 1_000_000
_TOKEN_BYTES = 2000 / 512  # of English text, on average


class Request(NamedTuple):
    """The request of a metric to an encoder: token states of one layer, or one pooled vector per text."""

    texts: Sequence[str]  # the texts, in order, repeated ones included
    max_length: int  # more tokens than this, special ones included, are truncated
    layer: int | None = None  # the layer whose token states are wanted (0: the embeddings), or None
    pooling: str | None = None  # how the last layer becomes one vector ("mean", "cls", "max"), or None
    lower_case: bool = False  # whether texts are lower-cased before they are tokenized


class Encoding(NamedTuple):
    """The output of an encoder for a request. Texts of one length are together, so that there is no padding."""

    length: NDArray[np.int64]  # (n,) tokens of each text, special ones included
    row: NDArray[np.int64]  # (n,) the place of each text among those of its length
    # by length: (texts, length, d) token states of torch or numpy, or None if not requested
    states: Mapping[int, Any] | None
    # by length: (texts, length) true where a token is neither of the two special ones around the text
    content: Mapping[int, NDArray[np.bool_]]
    tokens: Mapping[int, NDArray[np.int64]]  # by length: (texts, length) token ids
    pooled: FloatArray | None  # (n, d) pooled vectors, or None if not requested
    n_truncated: int  # how many texts were truncated


class TextEncoder(Protocol):
    """An encoder from texts to token states or pooled vectors. The output for a text depends on that text alone."""

    @property
    def fingerprint(self) -> str:
        """What signs the encoder: its weights, not their place."""

    def encode(self, requests: Sequence[Request]) -> list[Encoding]:
        """Return one encoding per request, all from one pass."""

    def truncated(self, request: Request) -> NDArray[np.bool_]:
        """Return whether each text of a request is too long to be read as a whole, shape (n,)."""


class PairScorer(Protocol):
    """A scorer from pairs of texts to one logit per pair. Some also read a question."""

    @property
    def fingerprint(self) -> str:
        """What signs the scorer: its weights, not their place."""

    @property
    def reads_questions(self) -> bool:
        """Whether it was made to read a question beside the pair."""

    def logits(
        self, pairs: Sequence[tuple[str, str]], questions: Sequence[str] | None = None
    ) -> tuple[FloatArray, int]:
        """Return one logit per pair, shape (n,), and how many pairs were truncated."""

    def truncated(self, pairs: Sequence[tuple[str, str]], questions: Sequence[str] | None = None) -> NDArray[np.bool_]:
        """Return whether each pair with its question is too long to be read as a whole, shape (n,)."""


@runtime_checkable
class EncoderMetric(Metric, Protocol):
    """A metric on top of a text encoder: it declares in advance what it needs, so that several can share one pass."""

    @property
    def encoder(self) -> TextEncoder:
        """The encoder; metrics whose encoders are equal and run in the same place share one pass."""

    def request(self, pairs: Sequence[Pair]) -> Request:
        """Return the request to the encoder: all gold answers, then all predictions."""

    def score_encoding(self, pairs: Sequence[Pair], encoding: Encoding) -> FloatArray:
        """Return one number per pair, from the encoding of the request."""


def placement(metric: Metric) -> Hashable:
    """Return where and how the network of this metric runs, which is not signed. None if it has no network.

    Metrics with equal signatures give equal numbers, but a metric runs only on the device that it was made for, and
    only with the batches that it was made for.
    """
    return getattr(getattr(metric, "encoder", getattr(metric, "scorer", None)), "placement", None)


def score_shared(metrics: Sequence[EncoderMetric], pairs: Sequence[Pair]) -> list[FloatArray]:
    """Return one array of shape (n,) per metric, with one pass over the texts for each encoder.

    The pairs are processed in chunks whose token states fit in memory. A score does not depend on its chunk. Texts
    that were truncated are counted and reported in one ``TruncationWarning`` per call.
    """
    columns = [np.empty(len(pairs), dtype=np.float64) for _ in metrics]
    n_truncated: dict[str, int] = {}
    longest = max((metric.request(()).max_length for metric in metrics), default=0)
    for start, stop in chunks(pairs, longest):
        batch = pairs[start:stop]
        groups: dict[tuple[TextEncoder, Hashable], list[int]] = {}
        for i, metric in enumerate(metrics):
            groups.setdefault((metric.encoder, placement(metric)), []).append(i)
        for (encoder, _), members in groups.items():
            encodings = encoder.encode([metrics[i].request(batch) for i in members])
            for i, encoding in zip(members, encodings, strict=True):
                with renumbered(start):
                    columns[i][start:stop] = check_finite(
                        metrics[i].score_encoding(batch, encoding), batch, metrics[i].signature
                    )
                if encoding.n_truncated:
                    name = metrics[i].signature
                    n_truncated[name] = n_truncated.get(name, 0) + encoding.n_truncated
    for name, count in n_truncated.items():
        warn_user(TruncationWarning(count, "texts", name))
    return columns


def truncated_pairs(metric: EncoderMetric, pairs: Sequence[Pair]) -> NDArray[np.bool_]:
    """Return whether one of the two texts of each pair is too long for this metric, shape (n,). No network runs.

    If the encoder, of another package, cannot tell, the result is all False.
    """
    tell = getattr(metric.encoder, "truncated", None)
    if tell is None:
        return np.zeros(len(pairs), dtype=np.bool_)
    texts = tell(metric.request(pairs))  # all gold answers, then all predictions
    cut: NDArray[np.bool_] = texts[: len(pairs)] | texts[len(pairs) :]
    return cut


def chunks(
    pairs: Sequence[tuple[str, str]], max_length: int, *, most_bytes: int | None = None, most_pairs: int | None = None
) -> Iterator[tuple[int, int]]:
    """Yield the start and stop of runs of pairs whose tokens fit in memory together. Each has at least one pair.

    ``max_length``: how many tokens of a text are read. Further tokens do not count. ``most_bytes``: the maximum number
    of UTF-8 bytes of the texts of a run. The default suits token states.
    """
    longest = int(max(512, max_length) * _TOKEN_BYTES)
    sizes = (min(_bytes(gold), longest) + min(_bytes(pred), longest) for gold, pred in pairs)
    yield from runs(sizes, most_bytes or _CHUNK_BYTES, most_pairs or _CHUNK_PAIRS)


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
