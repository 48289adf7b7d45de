"""Questions of a few candidates, made of texts and grades."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rankers.types import Candidate, Question, Questions


def question(name: str, text: str, pool: Mapping[str, int] | Iterable[tuple[str, int]]) -> Question:
    """A question whose candidates have these texts and grades, and the ids c0, c1 and so on."""
    rows = pool.items() if isinstance(pool, Mapping) else pool
    return Question(name, text, tuple(Candidate(f"c{i}", answer, grade) for i, (answer, grade) in enumerate(rows)))


def made(
    *pools: Mapping[str, int] | Iterable[tuple[str, int]],
    split: str = "test",
    text: str = "question {}?",
    **others: Any,
) -> Questions:
    """The questions q0, q1 and so on, with these candidates and their grades. ``text`` has the place of the number."""
    items = tuple(question(f"q{i}", text.format(i), pool) for i, pool in enumerate(pools))
    return Questions("made-up", split, items, **others)
