"""The result of comparing two typed values: a relation, and the reason in words."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

Relation: TypeAlias = Literal["equal", "compatible", "different", "not comparable"]


class Comparison(NamedTuple):
    """How a prediction relates to a gold answer.

    Attributes:
        relation: "equal": the same value. "compatible": no contradiction, but one is less precise, or rounded.
            "different": the values contradict each other. "not comparable": the rules have no opinion.
        reason: The reason in words, without a period at the end.
        kind: The kind of the value, such as "number" or "date"; "" if there is none.
    """

    relation: Relation
    reason: str
    kind: str = ""

    @property
    def opinion(self) -> float | None:
        """1.0 if the values are equal, 0.0 if they differ, else None.

        >>> Comparison("equal", "both are 11", "number").opinion
        1.0
        """
        return {"equal": 1.0, "different": 0.0}.get(self.relation)


def equal(reason: str, kind: str) -> Comparison:
    """Return that the values are the same."""
    return Comparison("equal", reason, kind)


def compatible(reason: str, kind: str) -> Comparison:
    """Return that the values do not contradict each other."""
    return Comparison("compatible", reason, kind)


def different(reason: str, kind: str) -> Comparison:
    """Return that the values contradict each other."""
    return Comparison("different", reason, kind)


def no_opinion(reason: str, kind: str = "") -> Comparison:
    """Return that the rules do not decide."""
    return Comparison("not comparable", reason, kind)
