"""A judge that gets all gold answers of a row in one request, instead of one request per gold answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answersim.errors import renumbered
from answersim.judge.metric import Judge, UnparsedError
from answersim.judge.panel import Panel
from answersim.judge.usage import JudgeUsage
from answersim.signature import computed_once, with_part
from answersim.types import Capabilities, FloatArray, Pair

GOLDS = "golds:all"


@dataclass(frozen=True)
class WholeRows:
    """A judge or a panel whose requests have all gold answers of a row: 0 to 1 per row, the same for all its pairs.

    It is a ``types.ScoresRows``, because such a metric gets the rows that pairs belong to. A row with one gold answer
    is the same request as without this option.
    """

    judge: Judge | Panel  # the judge or the panel. Its prompt takes several gold answers.

    @computed_once
    def signature(self) -> str:
        """The signature of the judge with the part ``golds:all``."""
        return with_part(self.judge.signature, GOLDS)

    @property
    def capabilities(self) -> Capabilities:
        """The capabilities of the judge."""
        return self.judge.capabilities

    @property
    def reads_questions(self) -> bool:
        """Whether the prompt has a place for the question."""
        return self.judge.reads_questions

    def not_attempted(
        self, rows: Sequence[tuple[Any, str]], questions: Sequence[str] | None = None
    ) -> NDArray[np.bool_] | None:
        """Return which rows are graded as not attempted; None without such a grade. See ``CountedCalls``."""
        whole = [(gold if isinstance(gold, str) else tuple(gold), pred) for gold, pred in rows]
        return self.judge.not_attempted(whole, questions)

    @property
    def usage(self) -> JudgeUsage:
        """The usage of all calls so far."""
        return self.judge.usage

    def __call__(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> FloatArray:
        """Return one number per pair, shape (n,). Each pair is a row of its own."""
        return self.judge(pairs, questions)

    def score_rows(
        self,
        pairs: Sequence[Pair],
        questions: Sequence[str] | None,
        first: NDArray[np.int64] | None = None,
    ) -> FloatArray:
        """Return one number per pair, shape (n,); see ``types.ScoresRows`` for the arguments. Errors: see ``Judge``.

        Raises:
            UnparsedError: The positions are those of the first pair of each row.
        """
        asked = questions if questions is not None and any(questions) and self.reads_questions else None
        if first is None or len(first) == len(pairs):
            return self(pairs, asked)
        starts = first.tolist()
        ends = [*starts[1:], len(pairs)]
        rows: list[Pair] = []
        for start, end in zip(starts, ends, strict=True):
            golds = tuple(dict.fromkeys(pair[0] for pair in pairs[start:end]))
            rows.append(Pair(golds[0] if len(golds) == 1 else golds, pairs[start][1]))  # type: ignore[arg-type]
        try:
            with renumbered(starts):
                numbers = self.judge(rows, None if asked is None else [asked[start] for start in starts])
        except UnparsedError as error:
            raise UnparsedError(str(error), tuple(starts[i] for i in error.pairs)) from None
        return np.repeat(numbers, np.diff(first, append=len(pairs)).astype(np.intp, copy=False))
