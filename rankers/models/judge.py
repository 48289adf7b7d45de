"""A language model as a ranker, by requests and records of ``answersim.metrics.judge``: one grade each, or windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

import answersim
from answersim._base.errors import unknown, warn_user
from answersim.metrics.judge.metric import Judge, UnparsedError, reason_of
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

    The score of a candidate is minus its rank, from -1, so it depends on the other candidates and on their first order,
    as that of ``PoolBm25`` does, in violation of the contract of a ``Ranker``. Source: Sun et al. 2023, Is ChatGPT Good
    at Search?, section 3.2 (window 20, step 10).
    """

    judge: Judge  # with a prompt of the form "ranking"
    first: Ranker | None = None  # it gives the first order; None for the given order
    window: int = 20  # the number of candidates of a request, at least 2
    step: int = 10  # by how many candidates a window is before the next one, from 1 to ``window``
    unparsed: Literal["error", "keep"] = "error"  # "keep" keeps the order of a window without a ranking, with a warning

    def __post_init__(self) -> None:
        """Check the settings."""
        if self.unparsed not in ("error", "keep"):
            raise unknown("treatment of an unparsed reply", self.unparsed, ("error", "keep"))
        if self.window < 2 or not 1 <= self.step <= self.window:
            needed = "window must be at least 2 and step from 1 to window"
            raise ValueError(f"window is {self.window} and step is {self.step}, but {needed}")

    @property
    def signature(self) -> str:
        """For example ``judge-listwise|prompt:order/...|model:m|...|window:20|step:10|unparsed:error|first:given``."""
        judge = self.judge.signature.replace("judge|", "judge-listwise|", 1)
        first = "given" if self.first is None else f"({self.first.signature})"
        return f"{judge}|window:{self.window}|step:{self.step}|unparsed:{self.unparsed}|first:{first}"

    def score(self, questions: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[FloatArray]:
        """Return one number per candidate; windows of all questions are requested together.

        Raise UnparsedError if a reply contains no ranking, and ``unparsed`` is "error". All replies are in the record.
        """
        orders = [np.arange(len(pool)) for pool in candidates]
        if self.first is not None:
            orders = [np.argsort(-row, kind="stable") for row in self.first.score(questions, candidates)]
        spans = [windows(len(pool), self.window, self.step) for pool in candidates]
        kept = 0
        for turn in range(max(map(len, spans), default=0)):
            rows = [i for i, span in enumerate(spans) if turn < len(span)]
            parts = [orders[i][slice(*spans[i][turn])] for i in rows]  # views: what is put into them is put in order
            texts = [[candidates[i][j] for j in part] for i, part in zip(rows, parts, strict=True)]
            ranked = self._ranked([questions[i] for i in rows], texts)
            for part, places in zip(parts, ranked, strict=True):
                part[:] = part if places is None else part[places]
            kept += ranked.count(None)
        if kept:
            asked = sum(map(len, spans))
            warn_user(KeptOrderWarning(f"{kept:,} of {asked:,} windows kept their order: their replies rank nothing"))
        return [-1 - np.argsort(order).astype(np.float64) for order in orders]

    def _ranked(self, questions: list[str], texts: list[list[str]]) -> list[list[int] | None]:
        """Return the order of the texts of each window, from 0; None for a reply without one."""
        pairs: list[Any] = [Pair(tuple(part), "") for part in texts]  # type: ignore[arg-type] # a judge takes several
        judged, usage = self.judge.judge(pairs, questions)
        self.judge.totals.add(usage)
        lacking = tuple(i for i, outcomes in enumerate(judged) if reason_of(outcomes))
        if lacking and self.unparsed == "error":
            raise UnparsedError(
                f"{len(lacking):,} of {len(texts):,} windows have no ranking; the first one is of the question "
                f"{questions[lacking[0]]!r:.60}: {reason_of(judged[lacking[0]])}. All replies are {self.judge.where}. "
                "Choose another model, or keep the order of such windows: unparsed='keep'",
                lacking,
            )
        return [
            None if reason_of(outcomes) else [int(n) - 1 for n in outcomes[0].verdict.split(" > ")]
            for outcomes in judged
        ]


def pointwise(**options: Any) -> PointwiseJudge:
    """Return a judge that grades each candidate by itself, with the options of the metric ``judge``."""
    return PointwiseJudge(answersim.metric("judge", **{"prompt": GRADES} | options))


def listwise(first: Ranker | None = None, **options: Any) -> ListwiseJudge:
    """Return a ``ListwiseJudge`` with its options and those of the metric ``judge`` for one model and reply."""
    own = {name: options.pop(name) for name in ("window", "step", "unparsed") if name in options}
    judge = answersim.metric("judge", prompt=ORDER, **options)
    if not isinstance(judge, Judge) or judge.repeats > 1 or len(judge.models) > 1:
        raise TypeError("several models or repeats are given, but a window has one ranking; leave repeats out")
    return ListwiseJudge(judge, first, **own)


def windows(n: int, size: int, step: int) -> list[tuple[int, int]]:
    """Return the start and the end of each window over ``n`` candidates, from the last one; the first starts at 0.

    >>> windows(25, 20, 10), windows(3, 20, 10), windows(1, 20, 10)
    ([(5, 25), (0, 15)], [(0, 3)], [])
    """
    ends = range(n, n - step * (1 + -(-max(0, n - size) // step)), -step)
    return [(max(0, end - size), end) for end in ends if end > 1]
