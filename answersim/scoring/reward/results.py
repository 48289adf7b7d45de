"""The result of a batch of rewards: scores, and for each row what decided and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from answersim._base.text_tables import Result

Verdict: TypeAlias = Literal["right", "wrong", "unsure", "unreadable", "undecided"]
UNSCORED: tuple[Verdict, ...] = ("unreadable", "undecided")
NO_MARK = "whole"  # the rule of extraction of a completion without a mark


class RewardRow(NamedTuple):
    """What decided the reward of one completion."""

    score: float | None  # the reward; None, or the value of ``Reward.unreadable``, if there is none
    # "right", "wrong", "unsure" (of the last stage), "unreadable" (the gold answer cannot be read) or "undecided" (the
    # time was over, or the metric raised an error)
    verdict: Verdict
    stage: str  # what decided: "gold", "extraction", "rules", "recall", the name of the metric, or "time"
    answer: str  # the final answer that was read out of the completion
    rule: str  # the rule of extraction; "whole" if the completion is the answer
    reason: str  # the reason in words


@dataclass(frozen=True)
class RewardResult(Result):
    """The rewards of a batch."""

    rows: tuple[RewardRow, ...]  # one per completion, in order
    signature: str  # what decides the scores, in one line
    seconds: float  # the time of the batch

    @property
    def scores(self) -> list[float | None]:
        """The rewards, in order. A row without a reward is None, or what ``Reward.unreadable`` states."""
        return [row.score for row in self.rows]

    @property
    def counters(self) -> dict[str, float]:
        """Shares of the rows for the log of a host: verdicts, stages, and completions without a marked answer."""
        n = max(1, len(self.rows))
        verdicts, stages = Counter(row.verdict for row in self.rows), Counter(row.stage for row in self.rows)
        shares = {f"verdict/{name}": verdicts[name] / n for name in ("right", "wrong", "unsure", *UNSCORED)}
        shares |= {f"stage/{name}": count / n for name, count in sorted(stages.items())}
        unmarked = sum(row.rule == NO_MARK or row.stage == "extraction" for row in self.rows)
        return {**shares, "not_extracted": unmarked / n, "seconds": self.seconds}

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[RewardRow]:
        return iter(self.rows)

    def summary(self) -> list[str]:
        """Return the counts, and the first rows without a reward with their reasons."""
        counts = Counter(row.verdict for row in self.rows)
        named = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
        missing = [f"row {i}: {row.verdict}, {row.reason}" for i, row in enumerate(self) if row.verdict in UNSCORED]
        return [f"{len(self.rows)} rewards: {named or 'none'}", *missing[:5]]

    def footer(self) -> list[str]:
        """Return the signature."""
        return [self.signature]

    def records(self) -> list[dict[str, Any]]:
        """Return one record per row."""
        return [row._asdict() for row in self.rows]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON values, with the counters."""
        return {**super().to_dict(), "counters": self.counters}
