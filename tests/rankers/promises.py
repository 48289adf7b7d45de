"""What every ranker promises, as checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rankers.types import Questions, Ranker


def texts_of(questions: Questions) -> tuple[list[str], list[list[str]]]:
    """Return the texts of the questions and of their candidates, as ``Ranker.score`` takes them."""
    return [question.text for question in questions], [[c.text for c in q.candidates] for q in questions]


def few(questions: Questions, n: int = 3, candidates: int = 4) -> Questions:
    """Return the first questions, each with its first candidates."""
    items = tuple(question._replace(candidates=question.candidates[:candidates]) for question in questions.items[:n])
    return replace(questions, items=items)


def assert_same(scores: Sequence[np.ndarray], expected: Sequence[np.ndarray], message: str, atol: float = 0.0) -> None:
    """Check the scores of each question; ``atol=0`` requires equal numbers."""
    for values, wanted in zip(scores, expected, strict=True):
        np.testing.assert_allclose(values, wanted, rtol=1e-6 if atol else 0, atol=atol, err_msg=message)


def check_promises(ranker: Ranker, questions: Questions, *, reads_pool: bool = False, atol: float = 2e-6) -> None:
    """Check one finite score per candidate, which depends on nothing but the question and the candidate.

    ``reads_pool`` permits that a score depends on the other candidates of its question.
    """
    texts, pools = texts_of(questions)
    scores = ranker.score(texts, pools)
    assert [values.shape for values in scores] == [(len(pool),) for pool in pools]
    assert all(values.dtype == np.float64 and np.isfinite(values).all() for values in scores)
    assert_same(ranker.score(texts, pools), scores, "the same call, other numbers")
    backwards = ranker.score(texts[::-1], [pool[::-1] for pool in pools[::-1]])
    assert_same([values[::-1] for values in backwards[::-1]], scores, "the order changed a score", atol)
    for text, pool, values in zip(texts[:3], pools[:3], scores[:3], strict=True):
        assert_same(ranker.score([text], [pool]), [values], "another question changed a score", atol)
        if not reads_pool:
            alone = [ranker.score([text], [[answer]])[0][0] for answer in pool]
            assert_same([np.array(alone)], [values], "another candidate changed a score", atol)
    long = "a word " * 60  # beside it, all else is padded
    padded = ranker.score([*texts, "what?"], [*pools, [long, "short"]])
    assert_same(padded[:-1], scores, "padding changed a score", atol)
    assert ranker.score([], []) == []
    assert len(ranker.score(["what?"], [[]])[0]) == 0
    odd = ranker.score(["", "?"], [["", "北京", "a"], ["?!"]])
    assert all(np.isfinite(values).all() for values in odd)
