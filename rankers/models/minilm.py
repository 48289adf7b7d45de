"""A pre-trained encoder as a ranker without training: the cosine of two vectors, or the best match of each token."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rankers.types import FloatArray

if TYPE_CHECKING:
    from torch import Tensor

    from rankers.modules.encoder import Encoder

DEFAULT = "all-MiniLM-L6-v2"


@dataclass(frozen=True)
class _Frozen:
    """The weights of an encoder, which these rankers share."""

    model: str = field(default=DEFAULT, compare=False)  # the name of a bi-encoder's checkpoint, or its folder
    # the device of its network: "auto" (a GPU if there is one), "cpu", "cuda" and so on
    device: str = field(default="auto", compare=False, kw_only=True)
    # the folder of a LoRA adapter that is merged into the weights, or None
    adapter: Path | None = field(default=None, compare=False, kw_only=True)
    encoder: Encoder = field(init=False, repr=False)  # the weights that were found, as an encoder

    def __post_init__(self) -> None:
        """Find the weights without loading them."""
        from rankers.modules.encoder import encoder

        object.__setattr__(self, "encoder", encoder(self.model, self.device, self.adapter))


@dataclass(frozen=True)
class MiniLmBiEncoder(_Frozen):
    """The cosine of the vectors of question and candidate, in [-1, 1] (Reimers & Gurevych 2019).

    ``MiniLmBiEncoder("sentence-transformers/...")`` uses any other bi-encoder that pools by mean, cls or max; the
    default is all-MiniLM-L6-v2.
    """

    query: str = field(default="", kw_only=True)  # the text before every question
    document: str = field(default="", kw_only=True)  # the text before every candidate

    @property
    def signature(self) -> str:
        """For example ``minilm-biencoder|encoder:all-MiniLM-L6-v2@.../fp32|pooling:mean|max_length:256``.

        Prompts follow it as JSON, if there are any.
        """
        used, prompts = self.encoder, json.dumps([self.query, self.document]).replace("|", "\\u007c")
        signed = f"minilm-biencoder|encoder:{used.fingerprint}|pooling:{used.pooling}|max_length:{used.max_length}"
        return f"{signed}|prompts:{prompts}" if self.query or self.document else signed

    def score(self, questions: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[FloatArray]:
        """Return one number per candidate, in order: for question i an array of shape (len(candidates[i]),)."""
        from torch.nn.functional import normalize

        _check(questions, candidates)
        questions = [self.query + question for question in questions]
        candidates = [[self.document + candidate for candidate in pool] for pool in candidates]
        places = _placed(questions, candidates)
        vectors = normalize(self.encoder.vectors(list(places)).double(), dim=-1).numpy()  # (n, d)
        return [
            vectors[[places[candidate] for candidate in pool]] @ vectors[places[question]] if len(pool) else np.empty(0)
            for question, pool in zip(questions, candidates, strict=True)
        ]


@dataclass(frozen=True)
class MiniLmMaxSim(_Frozen):
    """The sum over the question's tokens of the highest cosine with a token of the candidate (Khattab & Zaharia 2020).

    Special tokens are left out. A candidate without tokens has a cosine of -1 for each token of the question.
    ``MiniLmMaxSim("...")`` uses any other encoder; the default is all-MiniLM-L6-v2.
    """

    # about how many token states are kept in memory at a time, 1.5 kB each
    kept_tokens: int = field(default=500_000, compare=False)

    @property
    def signature(self) -> str:
        """For example ``minilm-maxsim|encoder:all-MiniLM-L6-v2@.../fp32|max_length:256``."""
        return f"minilm-maxsim|encoder:{self.encoder.fingerprint}|max_length:{self.encoder.max_length}"

    def score(self, questions: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[FloatArray]:
        """Return one number per candidate, in order: for question i an array of shape (len(candidates[i]),)."""
        return [sums for _, sums, _ in _matched(self.encoder, questions, candidates, self.kept_tokens)]


@dataclass(frozen=True)
class MiniLmHybrid(_Frozen):
    """The cosine of the vectors plus MaxSim per token of the question, from one pass through the encoder.

    A candidate or a question without tokens has the MaxSim -1. Both parts are between -1 and 1.

    The weight was chosen on dev splits of six collections among .3, .5, .7, 1 and 1.5: ``python -m
    benchmarks.reranking``. The share of common words as a third part helped on TrecQA and harmed on FiQA.
    """

    late: float = 1.0  # the weight of MaxSim, at least 0
    # about how many token states are kept in memory at a time, 1.5 kB each
    kept_tokens: int = field(default=500_000, compare=False)

    @property
    def signature(self) -> str:
        """For example ``minilm-hybrid|encoder:all-MiniLM-L6-v2@.../fp32|pooling:mean|max_length:256|late:1.0``."""
        used = self.encoder
        length = used.max_length
        return f"minilm-hybrid|encoder:{used.fingerprint}|pooling:{used.pooling}|max_length:{length}|late:{self.late}"

    def score(self, questions: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[FloatArray]:
        """Return one number per candidate, in order: for question i an array of shape (len(candidates[i]),)."""
        return [cosines + self.late * late for cosines, late in self.parts(questions, candidates)]

    def parts(
        self, questions: Sequence[str], candidates: Sequence[Sequence[str]]
    ) -> list[tuple[FloatArray, FloatArray]]:
        """Return the terms of each score for each question, both (candidates,).

        They are the cosine of the vectors, and the mean over the tokens of the question of the highest cosine with
        a token.
        """
        return [
            (cosines, sums / n if n else np.full(len(sums), -1.0))
            for cosines, sums, n in _matched(self.encoder, questions, candidates, self.kept_tokens)
        ]


def _matched(
    encoder: Encoder, questions: Sequence[str], candidates: Sequence[Sequence[str]], kept_tokens: int
) -> Iterator[tuple[FloatArray, FloatArray, int]]:
    """Yield the cosines and the sums of MaxSim of each question, (candidates,), and its number of tokens."""
    from torch.nn.functional import normalize

    _check(questions, candidates)
    for places, pools in _parts(questions, candidates, kept_tokens):
        vectors, tokens = encoder.vectors_and_states(list(places))
        units = normalize(vectors.double(), dim=-1).numpy()  # (n, d)
        states = [normalize(each, dim=-1) for each in tokens]
        for question, pool in pools:
            at, rows = places[question], [places[candidate] for candidate in pool]
            sums = [_max_sim(states[at], states[row]) for row in rows]
            yield units[rows] @ units[at] if rows else np.empty(0), np.array(sums, dtype=np.float64), len(states[at])


def _max_sim(question: Tensor, candidate: Tensor) -> float:
    """Return the sum over q of the largest product: (q, d), (c, d), of length 1, to a scalar."""
    if not len(candidate):
        return -float(len(question))
    return float((question @ candidate.T).amax(dim=1).double().sum())


def _placed(questions: Iterable[str], candidates: Iterable[Sequence[str]]) -> dict[str, int]:
    """Return the place of each distinct text, questions first."""
    texts = dict.fromkeys([*questions, *(candidate for pool in candidates for candidate in pool)])
    return {text: i for i, text in enumerate(texts)}


def _parts(
    questions: Sequence[str], candidates: Sequence[Sequence[str]], tokens: int
) -> Iterator[tuple[dict[str, int], list[tuple[str, Sequence[str]]]]]:
    """Yield the places of the distinct texts of some questions, and these questions with their candidates.

    The texts have about so many tokens together, at four characters a token.
    """
    pools, seen, held = list[tuple[str, Sequence[str]]](), set[str](), 0
    for question, pool in zip(questions, candidates, strict=True):
        size = sum(len(text) // 4 + 1 for text in {question, *pool} - seen)
        if held and held + size > tokens:
            yield _placed(*zip(*pools, strict=True)), pools
            pools, seen, held = [], set(), 0
            size = sum(len(text) // 4 + 1 for text in {question, *pool})
        pools.append((question, pool))
        seen |= {question, *pool}
        held += size
    if pools:
        yield _placed(*zip(*pools, strict=True)), pools


def _check(questions: Sequence[str], candidates: Sequence[Sequence[str]]) -> None:
    if len(questions) != len(candidates):
        raise ValueError(f"{len(questions)} questions cannot have {len(candidates)} pools of candidates; give one each")
