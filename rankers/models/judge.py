"""A language model as a ranker, by requests and records of ``answersim.metrics.judge``: one grade each, or windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

import answersim
from answersim._base.errors import unknown, warn_user
from answersim.metrics.judge.metric import Judge, UnparsedError
from answersim.metrics.judge.prompts import Prompt
from answersim.types import Pair
from rankers.models.published import by_pool
from rankers.types import FloatArray, Ranker

_ROLE = "You judge texts as answers to questions. You are exact and you follow the rules of the request."
GRADES = Prompt(
    "relevance",
    """Question:
{question}

A candidate:
{pred}

How well does the candidate answer the question?
- complete: it answers the question, and one need not read on.
- partial: it answers a part of the question, or the answer is hidden in other matter.
- related: it is about the same subject, but answers nothing.
- unrelated: it has nothing to do with the question.""",
    _ROLE,
    (("complete", 1.0), ("partial", 2 / 3), ("related", 1 / 3), ("unrelated", 0.0)),
)
ORDER = Prompt(
    "order",
    """Question:
{question}

Candidates, each after its number:
{golds}

Order the candidates by how well they answer the question.""",
    _ROLE,
    (),
    "ranking",
)


class KeptOrderWarning(UserWarning):
    """Windows of candidates kept their order, because the reply of a judge contains no ranking of them."""


@dataclass(frozen=True)
class PointwiseJudge:
    """A judge that grades each candidate by itself: the mean grade of its replies, from 0 to 1."""

    judge: Any  # a metric ``judge`` that reads the question and the candidate, one judge or a panel

    @property
    def signature(self) -> str:
        """The signature of the judge, such as ``judge-pointwise|prompt:relevance/...|model:m|...``."""
        return str(self.judge.signature).replace("judge|", "judge-pointwise|", 1)

    def score(self, questions: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[FloatArray]:
        """Return one number per candidate, in order: for question i an array of shape (len(candidates[i]),)."""
        rows = [(q, Pair("", text)) for q, pool in zip(questions, candidates, strict=True) for text in pool]
        return by_pool(self.judge([pair for _, pair in rows], [question for question, _ in rows]), candidates)


@dataclass(frozen=True)
class ListwiseJudge:
    """A judge that orders windows of candidates, from the last window to the first one (RankGPT).

    The score of a candidate is minus its rank, from -1, so it depends on the other candidates and on their first order.
    This violates the contract of a ``Ranker``, as that of ``PoolBm25`` does. Windows of all questions are requested
    together.

    Source: Sun et al. 2023, Is ChatGPT Good at Search?, section 3.2 (window 20, step 10).
    """

    judge: Judge  # with a prompt of the form "ranking"
    first: Ranker | None = None  # it gives the first order; None for the given order
    window: int = 20  # the number of candidates of a request, at least 2
    step: int = 10  # by how many candidates a window is before the next one, from 1 to ``window``
    # "keep" keeps the order of a window without a ranking, with a warning that counts such windows
    unparsed: Literal["error", "keep"] = "error"

    def __post_init__(self) -> None:
        """Check the settings."""
        if self.unparsed not in ("error", "keep"):
            raise unknown("treatment of an unparsed reply", self.unparsed, ("error", "keep"))
        if self.window < 2 or not 1 <= self.step <= self.window:
            raise ValueError(
                f"window is {self.window} and step is {self.step}, but window must be at least 2 and step from 1 to "
                "window"
            )

    @property
    def signature(self) -> str:
        """For example ``judge-listwise|prompt:order/...|model:m|...|window:20|step:10|unparsed:error|first:given``."""
        judge = self.judge.signature.replace("judge|", "judge-listwise|", 1)
        first = "given" if self.first is None else f"({self.first.signature})"
        return f"{judge}|window:{self.window}|step:{self.step}|unparsed:{self.unparsed}|first:{first}"

    def score(self, questions: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[FloatArray]:
        """Return one number per candidate, in order: for question i an array of shape (len(candidates[i]),).

        Raise UnparsedError if a reply contains no ranking, and ``unparsed`` is "error". All replies are in the record.
        Other errors are those of a judge.
        """
        orders = [list(range(len(pool))) for pool in candidates]
        if self.first is not None:
            scores = self.first.score(questions, candidates)
            orders = [np.argsort(-np.asarray(row), kind="stable").tolist() for row in scores]
        spans = [windows(len(pool), self.window, self.step) for pool in candidates]
        kept = asked = 0
        for turn in range(max(map(len, spans), default=0)):
            rows = [i for i, span in enumerate(spans) if turn < len(span)]
            texts = [[candidates[i][j] for j in orders[i][slice(*spans[i][turn])]] for i in rows]
            ranked = self._ranked([questions[i] for i in rows], texts)
            for i, places in zip(rows, ranked, strict=True):
                part = slice(*spans[i][turn])
                orders[i][part] = orders[i][part] if places is None else [orders[i][part][place] for place in places]
            kept, asked = kept + ranked.count(None), asked + len(rows)
        if kept:
            warn_user(KeptOrderWarning(f"{kept:,} of {asked:,} windows kept their order: their replies rank nothing"))
        return [-np.argsort(np.array(order, dtype=np.int64)).astype(np.float64) - 1 for order in orders]

    def _ranked(self, questions: list[str], texts: list[list[str]]) -> list[list[int] | None]:
        """Return the order of the texts of each window, from 0; None for a reply without one."""
        pairs: list[Any] = [Pair(tuple(part), "") for part in texts]  # type: ignore[arg-type] # a judge takes several
        judged, usage = self.judge.judge(pairs, questions)
        self.judge.totals.add(usage)
        lacking = tuple(i for i, row in enumerate(judged) if row.reason)
        if lacking and self.unparsed == "error":
            raise UnparsedError(
                f"{len(lacking):,} of {len(texts):,} windows have no ranking; the first one is of the question "
                f"{questions[lacking[0]]!r:.60}: {judged[lacking[0]].reason}. All replies are {self.judge.where}. "
                "Choose another model, or keep the order of such windows: unparsed='keep'",
                lacking,
            )
        return [
            None if row.reason else [int(place) - 1 for place in row.outcomes[0].verdict.split(" > ")] for row in judged
        ]


def pointwise(**options: Any) -> PointwiseJudge:
    """Return a judge that grades each candidate by itself: complete, partial, related or unrelated.

    ``options`` are those of the metric ``judge``: ``base_url`` and ``model``, or ``record`` and ``replay``;
    ``repeats``, ``unparsed`` ("error", "unsure" or a number), ``prices`` and so on. ``prompt`` replaces the grades.
    """
    return PointwiseJudge(answersim.metric("judge", **{"prompt": GRADES} | options))


def listwise(
    first: Ranker | None = None,
    *,
    window: int = 20,
    step: int = 10,
    unparsed: Literal["error", "keep"] = "error",
    **options: Any,
) -> ListwiseJudge:
    """Return a judge that orders windows of candidates. See ``ListwiseJudge``.

    ``options`` are those of the metric ``judge``, except those of several replies to one request, which are a
    TypeError.
    """
    judge = answersim.metric("judge", prompt=ORDER, **options)
    if not isinstance(judge, Judge) or judge.repeats > 1 or len(judge.models) > 1:
        raise TypeError("several models or repeats are given, but a window has one ranking; leave repeats out")
    return ListwiseJudge(judge, first, window, step, unparsed)


def windows(n: int, size: int, step: int) -> list[tuple[int, int]]:
    """Return the start and the end of each window over ``n`` candidates, from the last one; the first starts at 0.

    >>> windows(25, 20, 10)
    [(5, 25), (0, 15)]
    >>> windows(3, 20, 10), windows(1, 20, 10)
    ([(0, 3)], [])
    """
    found: list[tuple[int, int]] = []
    end = n
    while end > 1 and (not found or found[-1][0] > 0):
        found.append((max(0, end - size), end))
        end -= step
    return found
