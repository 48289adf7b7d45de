"""Unlabeled pairs for a teacher: random, by BM25, or nearest neighbors, as in Augmented SBERT."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from answersim._base.errors import MissingExtraError
from answersim.training.data.pairs import SPLITS, TrainingPair, in_split

Encode: TypeAlias = Callable[[Sequence[str]], NDArray[Any]]
Known: TypeAlias = "dict[int, set[int]]"  # by text, those that it is already paired with

STRATEGIES = ("random", "bm25", "semantic")
_CHUNK = 512  # queries at a time, so that (512, n) similarities are in memory and never (n, n)
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Sampling:
    """The settings that determine which pairs are sampled."""

    strategy: str = "random"  # ``random``, ``bm25`` (shared words) or ``semantic`` (nearest by an encoder)
    k: int = 3  # partners per text
    symmetric: bool = False  # whether each pair comes in both orders, for a teacher or a student that is not symmetric

    def __post_init__(self) -> None:
        """Raise a ValueError that names a setting out of its range."""
        if self.strategy not in STRATEGIES:
            raise ValueError(f"strategy is {self.strategy!r}, but it must be one of {', '.join(STRATEGIES)}")
        if self.k < 1:
            raise ValueError(f"k is {self.k}, but it must be at least 1, one partner per text")


def sample(
    pairs: Sequence[TrainingPair], sampling: Sampling, rng: np.random.Generator, encode: Encode | None = None
) -> list[TrainingPair]:
    """Return new pairs of the texts of these pairs, without labels, split by split, each once.

    Both texts are in one split. No text is paired with itself, and no existing pair is repeated in either order. The
    source is the strategy. With ``symmetric``, (b, a) follows every (a, b). ``encode``: for ``semantic``: a function
    from texts to an array of shape (n, d). Rows may have any norm. ``rng``: the generator for ``random``, and for the
    order of two texts in the other strategies. Raise ValueError if ``semantic`` has no encoder, or the encoder returns
    another shape or numbers that are not finite. Raise MissingExtraError if ``bm25`` is requested and bm25s is not
    installed.

    Source: Thakur et al. 2021, "Augmented SBERT", section 3 (pair sampling strategies).
    """
    if sampling.strategy == "semantic" and encode is None:
        raise ValueError("the strategy 'semantic' searches neighbors with an encoder; give one as encode")
    sampled: list[TrainingPair] = []
    for split in SPLITS:
        within = in_split(pairs, split)
        texts = list(dict.fromkeys(text for pair in within for text in pair[:2]))
        if sampling.strategy == "semantic" and encode is not None:
            chosen = semantic_pairs(texts, sampling.k, rng, encode, within)
        else:
            by_name = bm25_pairs if sampling.strategy == "bm25" else random_pairs
            chosen = by_name(texts, sampling.k, rng, within)
        for first, second in chosen:
            for ends in ((first, second), (second, first))[: 1 + sampling.symmetric]:
                sampled.append(TrainingPair(*ends, None, split, sampling.strategy))
    return sampled


def random_pairs(
    texts: Sequence[str], k: int, rng: np.random.Generator, known: Sequence[TrainingPair] = ()
) -> list[tuple[str, str]]:
    """Pair each text with k others drawn at random (all, if there are fewer). Known pairs are left out."""
    texts, partners = _prepare(texts, known)
    if len(texts) < 2:
        return []

    def drawn() -> Iterator[tuple[int, Sequence[int]]]:
        for i in range(len(texts)):
            wanted = min(len(texts), k + 1 + len(partners.get(i, ())))  # enough even if known pairs are left out
            others = rng.choice(len(texts), size=wanted, replace=False, shuffle=True)
            yield i, [int(j) for j in others if j != i and j not in partners.get(i, ())][:k]

    return _once(texts, drawn(), rng)


def bm25_pairs(
    texts: Sequence[str], k: int, rng: np.random.Generator, known: Sequence[TrainingPair] = ()
) -> list[tuple[str, str]]:
    """Pair each text with the k highest by BM25 among those that share a word with it. Known pairs are left out.

    Words are runs of letters and digits, case folded. Equal scores go by the order of the texts. Raise
    MissingExtraError if bm25s is not installed.
    """
    try:
        import bm25s
    except ImportError as error:
        raise MissingExtraError("BM25 pair sampling", "train", "bm25s") from error
    texts, partners = _prepare(texts, known)
    words = [_WORD.findall(text.casefold()) for text in texts]
    if len(texts) < 2 or not any(words):
        return []
    index = bm25s.BM25()
    index.index(words, show_progress=False)

    def ranked() -> Iterator[tuple[int, Sequence[int]]]:
        for i, query in enumerate(words):
            if query:
                scores = np.asarray(index.get_scores(query))
                _strike(scores, i, partners)
                sharing = np.flatnonzero(scores > 0)
                yield i, sharing[_top(scores[sharing], k)].tolist()

    return _once(texts, ranked(), rng)


def semantic_pairs(
    texts: Sequence[str], k: int, rng: np.random.Generator, encode: Encode, known: Sequence[TrainingPair] = ()
) -> list[tuple[str, str]]:
    """Pair each text with the k nearest by exact cosine of their vectors. Known pairs are left out.

    Equal cosines go by the order of the texts. At most 512 rows of similarities are in memory at a time. Raise
    ValueError if the vectors are not one per text, do not have two dimensions, or are not finite.
    """
    texts, partners = _prepare(texts, known)
    if len(texts) < 2:
        return []
    vectors = _normalised(np.asarray(encode(texts)), len(texts))

    def nearest() -> Iterator[tuple[int, Sequence[int]]]:
        for start in range(0, len(texts), _CHUNK):
            for i, row in enumerate(vectors[start : start + _CHUNK] @ vectors.T, start=start):  # (<= 512, n)
                _strike(row, i, partners)
                yield i, [j for j in _top(row, k) if row[j] > -np.inf]

    return _once(texts, nearest(), rng)


def _prepare(texts: Sequence[str], labeled: Sequence[TrainingPair]) -> tuple[list[str], Known]:
    """Return the texts, each once, and by position those that may not be paired."""
    index = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    partners: Known = {}
    for pair in labeled:
        if pair.first in index and pair.second in index:
            one, two = index[pair.first], index[pair.second]
            partners.setdefault(one, set()).add(two)
            partners.setdefault(two, set()).add(one)
    return list(index), partners


def _once(
    texts: Sequence[str], candidates: Iterator[tuple[int, Sequence[int]]], rng: np.random.Generator
) -> list[tuple[str, str]]:
    """Return the candidate pairs, each once in either order. Which text comes first is drawn."""
    pairs = dict.fromkeys((min(i, j), max(i, j)) for i, others in candidates for j in others)
    turned = rng.random(len(pairs)) < 0.5
    return [(texts[j], texts[i]) if turn else (texts[i], texts[j]) for (i, j), turn in zip(pairs, turned, strict=True)]


def _strike(scores: NDArray[Any], i: int, partners: Known) -> None:
    """Rank the text itself and its existing partners last."""
    scores[[i, *partners.get(i, ())]] = -np.inf


def _top(scores: NDArray[Any], k: int) -> list[int]:
    """Return the positions of the k highest scores, highest first, equal ones in order of position."""
    if k < len(scores):
        least = np.partition(scores, len(scores) - k)[len(scores) - k]
        above, level = np.flatnonzero(scores > least), np.flatnonzero(scores == least)
        kept = np.concatenate([above, level[: k - len(above)]])
    else:
        kept = np.arange(len(scores))
    return [int(j) for j in kept[np.lexsort((kept, -scores[kept]))]]


def _normalised(vectors: NDArray[Any], count: int) -> NDArray[np.float32]:
    if vectors.ndim != 2 or len(vectors) != count or not np.isfinite(vectors).all():
        raise ValueError(
            f"the encoder returned an array of shape {vectors.shape} for {count:,} texts, but it must return one row "
            f"of finite numbers per text"
        )
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), dtype=np.float32)
