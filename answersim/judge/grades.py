"""Judges that grade three ways: which answers they call not attempted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from answersim.types import Pair


class Grading(Protocol):
    """A judge with named grades."""

    @property
    def grades(self) -> Iterable[str]:
        """The grades that it can give."""
        ...

    def judge(self, pairs: Sequence[Pair], questions: Sequence[str] | None = None) -> tuple[list[Any], Any]:
        """Return the verdicts on each pair, in order, and the receipt."""
        ...


def not_attempted(
    judge: Grading, rows: Sequence[tuple[Any, str]], questions: Sequence[str] | None
) -> NDArray[np.bool_] | None:
    """Return for each row whether the judge graded it as not attempted, shape (n,); None if it has no such grade.

    The replies are those of the scores, which are recorded, so that no request is repeated. Of several replies the
    majority counts, and of several gold answers one is enough. ``rows``: the gold answer or answers, and the
    prediction, of each row.
    """
    if not any(map(_is_not_attempted, judge.grades)):
        return None
    asked = [""] * len(rows) if questions is None else questions
    expanded = [
        (i, Pair(gold, pred), question)  # type: ignore[arg-type] # a tuple is for one request
        for i, ((golds, pred), question) in enumerate(zip(rows, asked, strict=True))
        for gold in ([golds] if isinstance(golds, (str, tuple)) else golds)
    ]
    judged, _ = judge.judge(
        [pair for _, pair, _ in expanded], None if questions is None else [question for _, _, question in expanded]
    )
    found = np.zeros(len(rows), dtype=bool)
    for (i, _, _), of_pair in zip(expanded, judged, strict=True):
        found[i] |= 2 * sum(_is_not_attempted(outcome.verdict) for outcome in of_pair.outcomes) > len(of_pair.outcomes)
    return found


def _is_not_attempted(grade: str) -> bool:
    return grade.replace("_", " ").lower() == "not attempted"
