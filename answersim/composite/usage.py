"""What the stages of a cascade decided, how many calls of the last stage they saved, and what they cost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from answersim.arguments import finite, mapping
from answersim.composite.cascade import Cascade, Decisions
from answersim.errors import unknown
from answersim.text_tables import Result


@dataclass(frozen=True)
class CascadeUsage(Result):
    """What the stages of a cascade did. The usage of two calls can be added."""

    names: tuple[str, ...]  # the names of the stages
    n: int  # the number of predictions
    pairs: int  # the number of pairs: a prediction has one for each of its gold answers
    decided: tuple[int, ...]  # how many predictions each stage settled
    asked: tuple[int, ...]  # how many pairs each stage scored. A score that a cache contains counts too.
    spent: tuple[float, ...]  # the money that each stage reported; nan if it reports none

    @property
    def saved(self) -> int:
        """The number of pairs that the last stage did not score. Alone, it would score all pairs."""
        return self.pairs - self.asked[-1]

    def __add__(self, other: CascadeUsage) -> CascadeUsage:
        """Return the usage for the predictions of both. Both are of the same cascade."""
        return CascadeUsage(
            self.names,
            self.n + other.n,
            self.pairs + other.pairs,
            tuple(map(sum, zip(self.decided, other.decided, strict=True))),
            tuple(map(sum, zip(self.asked, other.asked, strict=True))),
            tuple(map(sum, zip(self.spent, other.spent, strict=True))),
        )

    def cost(self, prices: Mapping[str, float] | None = None) -> float:
        """Return what the stages cost: what they reported, or else the price of each scored pair.

        ``prices``: the price of a scored pair, by the name of the stage. A stage without a price costs nothing. Raise
        LookupError if there is no such stage, ValueError if a price is not a finite number.
        """
        checked = self._prices(prices)
        rows = zip(self.names, self.asked, self.spent, strict=True)
        return math.fsum(n * checked.get(name, 0.0) if math.isnan(spent) else spent for name, n, spent in rows)

    def cost_alone(self, prices: Mapping[str, float] | None = None) -> float:
        """Return what the last stage would have cost for all pairs; nan if it has no price and scored no pair."""
        name, n, spent = self.names[-1], self.asked[-1], self.spent[-1]
        checked = self._prices(prices)
        if name in checked or math.isnan(spent):
            return self.pairs * checked.get(name, 0.0)
        return self.pairs * spent / n if n else math.nan

    def summary(self) -> list[str]:
        """Return what the stages decided and saved, in a sentence."""
        shares = ", ".join(
            f"{name} {count:,} ({_percent(count, self.n)})"
            for name, count in zip(self.names, self.decided, strict=True)
        )
        line = (
            f"of {self.n:,} answers, the stages decided: {shares}; {self.names[-1]} scored {self.asked[-1]:,} of "
            f"{self.pairs:,} pairs, {_percent(self.saved, self.pairs)} saved"
        )
        spent = math.fsum(number for number in self.spent if not math.isnan(number))
        return [line if all(map(math.isnan, self.spent)) else f"{line}; spent {spent:.4g}"]

    def records(self) -> list[dict[str, Any]]:
        """Return one flat record per stage."""
        rows = zip(self.names, self.decided, self.asked, self.spent, strict=True)
        return [{"stage": name, "decided": n, "asked": asked, "spent": spent} for name, n, asked, spent in rows]

    def _prices(self, prices: Mapping[str, float] | None) -> dict[str, float]:
        given = {} if prices is None else mapping("prices", prices)
        if wrong := [name for name in given if name not in self.names]:
            raise unknown("stage with a price", str(wrong[0]), self.names)
        return {name: finite(f"the price of {name}", price) for name, price in given.items()}


def usage_of(cascade: Cascade, decisions: Decisions) -> CascadeUsage:
    """Return the usage that these decisions are."""
    return CascadeUsage(
        cascade.names,
        len(decisions.first),
        len(decisions.stages),
        tuple(np.bincount(decisions.of_predictions, minlength=len(cascade.stages)).tolist()),
        tuple(decisions.asked.tolist()),
        tuple(decisions.spent.tolist()),
    )


def _percent(count: int, n: int) -> str:
    return f"{100 * count / n:.1f} %" if n else "0 %"
