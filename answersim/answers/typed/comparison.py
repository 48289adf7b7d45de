"""The result of comparing two answers: a relation, and the reason in words."""

from __future__ import annotations

from functools import partial
from math import nan
from typing import Literal, NamedTuple, TypeAlias

Relations: TypeAlias = Literal["equal", "near", "different", "none"]


class Relation(NamedTuple):
    """How a prediction relates to a gold answer.

    Attributes:
        relation: "equal": the same answer. "near": no contradiction, but one is rounded, less precise, or lacks the
            unit. "different": the answers contradict each other. "none": no rule applies.
        reason: The reason in words, without a period at the end.
        kind: What was compared, such as "number", "date", "choice", "math", "list" or "text"; "" if no rule applies.
        error: The difference of two numbers as a share of the gold answer, at least 0; nan for all else.
        rule: Why it is only near: "unit" (one lacks the unit or currency), "scale" (the question states it),
            "rounding" (to the digits of the coarser one), "tolerance" (within 1 %), "hedge" (one is approximate),
            "period" (one contains the other), "sign" (1.9 in brackets may be -1.9),
            "order" (one is a place in an order). Why no rule applies, if that is known: "order" (the same items or
            words in another order), "list" (items are missing or added), "sign" (≥ or ! before or behind equal values),
            "percent" (only one is a percentage), "symbol", "alternatives" (the gold answer or another one), "several"
            (several values or final answers).
    """

    relation: Relations
    reason: str
    kind: str = ""
    error: float = nan
    rule: str = ""

    @property
    def opinion(self) -> float | None:
        """1.0 if the answers are equal, 0.0 if they are different, else None."""
        return {"equal": 1.0, "different": 0.0}.get(self.relation)


equal, near = partial(Relation, "equal"), partial(Relation, "near")
different, no_opinion = partial(Relation, "different"), partial(Relation, "none")


def of_hedges(gold: str, pred: str, value: str, kind: str) -> Relation:
    """Compare two equal values by what stands before them: "<", ">" (bounds), "~", "~<", "~>" (about) or nothing.

    ``value``: what both are, as text. Two bounds of one sign may differ in the value itself ("under", "at most").
    """
    if gold == pred:
        if gold in ("<", ">"):
            return near(f"both are {value}, and one may contain {value} itself", kind, 0.0, "hedge")
        return equal(f"both are {value}", kind)
    if {gold, pred} in ({"<", ">"}, {"~>", "~<"}):
        return different(f"one is a lower bound of {value}, and the other an upper bound", kind)
    if {"<", ">"} & {gold, pred} and "" in (gold, pred):
        return no_opinion(f"both are {value}, and one is a bound", kind, rule="sign")
    return near(f"both are {value}, but one is approximate", kind, 0.0, "hedge")
