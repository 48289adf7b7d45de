"""Rankers made of rankers: a committee, several fused by reciprocal ranks, or one that reads candidates in windows."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from answersim._base.errors import unknown
from rankers.evaluation.runs import finite
from rankers.models.minilm import MiniLmBiEncoder, MiniLmHybrid, MiniLmMaxSim
from rankers.models.published import CrossEncoderObject, NamedCrossEncoder, SentenceTransformerObject
from rankers.training.definitions import CALIBRATIONS
from rankers.types import FloatArray, Ranker


@dataclass(frozen=True)
class Committee:
    """The weighted sum of the scores of its members.

    Scores without bounds let the member with the largest of them decide, so members may be calibrated per question:
    the mean of the scores of the question is subtracted, and the result is divided by their standard deviation (0 if
    all are equal). A calibrated score then depends on the other candidates of its question, but not on their order.
    """

    signature: str = field(init=False)  # the signatures of the members, their weights and the calibration
    members: tuple[Ranker, ...] = field(compare=False)  # the rankers
    weights: tuple[float, ...]  # one weight per member, at least 0. They are normalized to sum to 1.
    calibration: str = "none"  # "none" or "question"

    def __post_init__(self) -> None:
        """Check the settings and build the signature."""
        if self.calibration not in CALIBRATIONS:
            raise unknown("calibration", self.calibration, CALIBRATIONS)
        if not self.members or len(self.members) != len(self.weights):
            raise ValueError(f"{len(self.members)} members came with {len(self.weights)} weights; give one each")
        if min(self.weights) < 0 or not np.isfinite(self.weights).all() or sum(self.weights) <= 0:
            raise ValueError(f"the weights are {self.weights}, but none may be negative and one must be above 0")
        total = sum(self.weights)
        if abs(total - 1) > 1e-12:  # saved weights are used unchanged
            object.__setattr__(self, "weights", tuple(weight / total for weight in self.weights))
        shares = ", ".join(
            f"{weight:.6g} x {member.signature}" for weight, member in zip(self.weights, self.members, strict=True)
        )
        object.__setattr__(self, "signature", f"committee|calibration:{self.calibration}|{shares}")

    def score(self, questions: Sequence[str], candidates: Sequence[Sequence[str]], /) -> list[FloatArray]:
        """Return one score per candidate, in order: for question i an array of shape (len(candidates[i]),)."""
        scores = [member.score(questions, candidates) for member in self.members]
        return [
            np.sum([w * self._calibrated(values) for w, values in zip(self.weights, of_one, strict=True)], axis=0)
            for of_one in zip(*scores, strict=True)
        ]

    def _calibrated(self, scores: FloatArray) -> FloatArray:
        return scores if self.calibration == "none" else standardize(scores)


def standardize(scores: FloatArray) -> FloatArray:
    """Return the scores of one question minus their mean, divided by their standard deviation, or 0 if all are equal.

    Scores that differ by less than single precision are equal, because networks compute in single precision. Otherwise
    the last bit, which may depend on the batch, could become a difference of 1.

    >>> standardize(np.array([1.0, 2.0, 3.0])).round(3).tolist()
    [-1.225, 0.0, 1.225]
    """
    if not len(scores):
        return scores
    if np.ptp(scores) <= 4 * np.finfo(np.float32).eps * np.abs(scores).max():
        return np.zeros_like(scores)
    return (scores - scores.mean()) / scores.std()


K = 60.0  # the constant of the paper


@dataclass(frozen=True)
class Fusion:
    """Several rankers as one, by reciprocal rank fusion."""

    rankers: tuple[Ranker, ...]  # at least two rankers

    @property
    def signature(self) -> str:
        """The signatures of the rankers, in order."""
        return f"reciprocal-rank-fusion({', '.join(ranker.signature for ranker in self.rankers)})"

    def score(self, questions: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[FloatArray]:
        """Return one number per candidate, in order: for question i an array of shape (len(candidates[i]),)."""
        scores = [(ranker.signature, ranker.score(questions, candidates)) for ranker in self.rankers]
        return [
            reciprocal_rank_fusion([finite(one[i], name, question, candidates[i]) for name, one in scores])
            for i, question in enumerate(questions)
        ]


def fused(rankers: Sequence[Ranker]) -> Ranker:
    """Return the ranker of these, fused if there are several. Raise ValueError if there are none."""
    if not rankers:
        raise ValueError("there is no ranker; name a model")
    return rankers[0] if len(rankers) == 1 else Fusion(tuple(rankers))


def reciprocal_rank_fusion(scores: Sequence[FloatArray], k: float = K) -> FloatArray:
    """Return the sum over rankers of 1 / (k + rank) for each candidate of one question, float64, (candidates,).

    The best candidate of a ranker has rank 1. Equal scores share the mean of their ranks, so that the result does not
    depend on the order of the candidates. A larger k, above 0, gives the first ranks less advantage.

    >>> reciprocal_rank_fusion([np.array([0.9, 0.1]), np.array([3.0, 7.0])]).round(4).tolist()
    [0.0325, 0.0325]

    Source: Cormack, Clarke & Buettcher 2009, Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning
    Methods.
    """
    from scipy.stats import rankdata

    if not scores:
        raise ValueError("there are no scores to fuse; give those of at least one ranker")
    if not k > 0:
        raise ValueError(f"k is {k}, but it must be above 0; the paper uses {K:.0f}")
    shapes = {np.shape(values) for values in scores}
    if len(shapes) > 1:
        raise ValueError(f"the rankers scored {sorted(shapes)} candidates; give the scores of the same candidates")
    total = np.zeros(shapes.pop(), dtype=np.float64)
    for values in scores:
        total += 1.0 / (k + rankdata(-np.asarray(values, dtype=np.float64), method="average"))
    return total


_LONG = 1_000_000  # more word pieces than a text has


class Reading(NamedTuple):
    """How much of a candidate a ranker reads."""

    pieces: Callable[[Sequence[str]], list[int]]  # the number of word pieces of each text
    most: int  # the maximum number of word pieces of a candidate
    # the maximum number of word pieces of question and candidate together; None if they are read apart
    shared: int | None = None

    def room(self, question: str) -> int:
        """Return the maximum number of word pieces of a candidate of this question, at least 1."""
        left = self.most if self.shared is None else min(self.most, self.shared - self.pieces([question])[0])
        return max(1, left)


@dataclass(frozen=True)
class Windows:
    """A ranker that reads long candidates in windows. The score of a candidate is the highest of its windows.

    A window has as many whole words as the ranker reads, and begins half a window after the one before it. A candidate
    that the ranker reads as a whole keeps its score.
    """

    ranker: Ranker  # a cross-encoder, a bi-encoder, or a trained ranker
    _reading: Reading = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Find out how much the ranker reads. Raise TypeError if it is not an encoder."""
        object.__setattr__(self, "_reading", reading(self.ranker))

    @property
    def signature(self) -> str:
        """The signature of the ranker with ``|windows:max/half``: the maximum over windows that overlap by half."""
        return f"{self.ranker.signature}|windows:max/half"

    def score(self, questions: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[FloatArray]:
        """Return one number per candidate, in order: for question i an array of shape (len(candidates[i]),)."""
        read = self._reading
        parts = [
            [windows(text, read.pieces, read.room(question)) for text in pool]
            for question, pool in zip(questions, candidates, strict=True)
        ]
        scores = self.ranker.score(questions, [[window for split in pool for window in split] for pool in parts])
        starts = [np.cumsum([0, *map(len, pool)])[:-1] for pool in parts]
        return [np.maximum.reduceat(of, first) if len(first) else of for of, first in zip(scores, starts, strict=True)]


def windows(text: str, pieces: Callable[[Sequence[str]], list[int]], room: int) -> list[str]:
    """Return the windows of a text in order: parts of whole words that have at most ``room`` pieces together.

    A word of more than ``room`` characters is split. A text that fits is its only window.

    >>> windows("a b c d e f", lambda texts: [len(text.split()) for text in texts], 4)
    ['a b c d', 'c d e f']
    """
    words = list(re.finditer(rf"\S{{1,{room}}}", text))
    if sum(pieces([text])) <= room or not words:
        return [text]
    sizes = zip(*(pieces([space + word[0] for word in words]) for space in ("", " ")), strict=True)
    ends = np.cumsum([0, *map(max, sizes)])  # byte BPE has other pieces at the start of a text than after a space
    found, first, last = [], 0, 0
    while last < len(words):
        last = max(first + 1, int(np.searchsorted(ends, ends[first] + room, side="right")) - 1)
        found.append(text[words[first].start() : words[last - 1].end()])
        first = min(last, max(first + 1, int(np.searchsorted(ends, ends[first] + room / 2))))
    return found


def reading(ranker: Ranker) -> Reading:
    """Return how much of a candidate this ranker reads. Raise TypeError if it is not an encoder of texts."""
    from answersim.metrics.checkpoints.token_ids import positions
    from rankers.models.neural_ranker import NeuralRanker
    from rankers.modules import local_checkpoints
    from rankers.modules.encoder import tokenizer_of

    if isinstance(ranker, NeuralRanker):
        vocabulary, encoder = ranker.inputs.vocabulary, getattr(ranker.network, "encoder", None)
        both = None if encoder is None or not hasattr(encoder, "around") else encoder.max_length - encoder.around.size
        return Reading(lambda texts: [len(ids) for ids in vocabulary.ids(texts, _LONG)], ranker.lengths.answer, both)
    if isinstance(ranker, MiniLmBiEncoder | MiniLmMaxSim | MiniLmHybrid):
        count = _pieces(tokenizer_of(ranker.encoder.checkpoint))
        prompt = count([ranker.document])[0] if isinstance(ranker, MiniLmBiEncoder) else 0
        return Reading(count, ranker.encoder.max_length - 2 - prompt)
    if isinstance(ranker, NamedCrossEncoder):
        with local_checkpoints.no_network():
            checkpoint = local_checkpoints.checkpoint(ranker.name)
        tokenizer = tokenizer_of(checkpoint)
        return _shared(tokenizer, min(tokenizer.model_max_length, positions(checkpoint) or 512))
    if isinstance(ranker, CrossEncoderObject):
        model = ranker.model
        return _shared(model.tokenizer, getattr(model, "max_seq_length", None) or model.max_length)
    if isinstance(ranker, SentenceTransformerObject):
        return Reading(_pieces(ranker.model.tokenizer), ranker.model.max_seq_length - 2)
    raise TypeError(f"{type(ranker).__name__} is not an encoder of texts, so it has no windows; leave them out")


def _shared(tokenizer: Any, limit: int) -> Reading:
    room = limit - tokenizer.num_special_tokens_to_add(pair=True)
    return Reading(_pieces(tokenizer), room, room)


def _pieces(tokenizer: Any) -> Callable[[Sequence[str]], list[int]]:
    def count(texts: Sequence[str]) -> list[int]:
        return [len(ids) for ids in tokenizer(list(texts), add_special_tokens=False, verbose=False)["input_ids"]]

    return count
