"""The common types: Candidate, RankedCandidate, Question, Questions, Run and Ranker."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FloatArray: TypeAlias = "NDArray[np.float64]"  # a text, so that names of systems are listed without numpy


class Candidate(NamedTuple):
    """A candidate answer to a question.

    Attributes:
        id: Its id.
        text: Its text.
        grade: Its grade by annotators: 0 is not relevant, and higher is better.
    """

    id: str
    text: str
    grade: int


@dataclass(frozen=True)
class RankedCandidate:
    """A candidate of a ranked list.

    Attributes:
        index: Its position in the given candidates, from 0.
        text: Its text.
        score: Its score; higher is better. Scores of different models are not comparable, and for some models those of
            different questions are not either.
    """

    index: int
    text: str
    score: float


class Question(NamedTuple):
    """A question, its pool of candidates, and its gold answers if they are known separately from the pool."""

    id: str
    text: str
    candidates: tuple[Candidate, ...]
    golds: tuple[str, ...] = ()


@dataclass(frozen=True)
class Questions:
    """A split of a corpus: its questions in order, and the interpretation of their grades.

    Attributes:
        corpus: The name of the corpus, such as "wikiqa".
        split: "train", "dev", "test", "test1" ...
        items: The questions. Their ids are unique, and so are the ids of the candidates of one question.
        relevant: The lowest grade that counts as relevant for a measure without grades.
        gains: The gain of a grade in nDCG. The default is the grade.
        pool: The origin of the candidates: "judged", "bm25@100" ... Measures of different pools are not comparable.
        source: The source of the file, with its license.
        judged: Grades of documents beyond the pool, by question and document, of complete qrels whose texts are not
            available. They count among the relevant documents.
        notes: Remarks on these questions for readers of their measures.
    """

    corpus: str
    split: str
    items: tuple[Question, ...]
    relevant: int = 1
    gains: Mapping[int, int] = field(default_factory=dict)
    pool: str = "judged"
    source: str = ""
    judged: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Question]:
        return iter(self.items)

    def is_relevant(self, candidate: Candidate) -> bool:
        """Return whether the grade of this candidate counts as relevant."""
        return candidate.grade >= self.relevant

    @cached_property
    def fingerprint(self) -> str:
        """A hash of texts and grades, in their order, and of their interpretation; 12 hexadecimal digits."""
        digest = sha256(f"{self.corpus} {self.split} {self.relevant}".encode())
        if self.gains or self.judged:  # both count on dev
            digest.update(json.dumps([sorted(self.gains.items()), self.judged], sort_keys=True).encode())
        for question in self:
            candidates = [[candidate.text, candidate.grade] for candidate in question.candidates]
            digest.update(json.dumps([question.text, candidates]).encode())
        return digest.hexdigest()[:12]


class Run(NamedTuple):
    """The output of a system: the score of each candidate, by the ids of question and candidate.

    Attributes:
        name: The name of the system.
        scores: The scores by question, then by candidate. Higher is better.
        signature: The signature of the ranker if it is known; it identifies the weights. TREC files have none.
    """

    name: str
    scores: Mapping[str, Mapping[str, float]]
    signature: str = ""


@runtime_checkable
class Ranker(Protocol):
    """A ranker: it has a signature that identifies its scores, and scores the candidates of many questions at once.

    The score of a candidate depends on the candidate and its question only, never on the other candidates, their order,
    the batch size or earlier calls. Higher is better. Scores of different questions need not be comparable.
    """

    @property
    def signature(self) -> str:
        """The line that contains every setting that can change a score. Equal rankers have equal signatures."""
        ...

    def score(self, questions: Sequence[str], candidates: Sequence[Sequence[str]], /) -> list[FloatArray]:
        """Return one finite number per candidate, in order: for question i an array of shape (len(candidates[i]),)."""
        ...
