"""The usage of a judge: requests and tokens, and how often its replies disagree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from answersim._base.text_tables import Result


class Tokens(NamedTuple):
    """The tokens of requests and of replies, as the server counted them."""

    input: int = 0
    output: int = 0


@dataclass(frozen=True)
class JudgeUsage(Result):
    """What a judge did for some pairs. The usage of two calls can be added."""

    pairs: int = 0  # the different pairs that were scored
    replies: int = 0  # the replies that decided the scores
    asked: int = 0  # how many of them were requested now; the others were in the record
    sent: int = 0  # the requests that were sent, with repetitions after errors
    unparsed: int = 0  # the replies without a verdict
    verdicts: Mapping[str, int] = field(default_factory=dict)  # how often each verdict was given
    # how many replies came from each model, by the name that the server returned
    models: Mapping[str, int] = field(default_factory=dict)
    tokens: Tokens = field(default_factory=Tokens)
    several: int = 0  # the pairs with several replies: of a panel, of repetitions, or in both orders
    disputed: int = 0  # how many of these got different verdicts
    unrecorded: int = 0  # the replies that are in memory only

    def __add__(self, other: JudgeUsage) -> JudgeUsage:
        """Return the usage of both."""
        if not isinstance(other, JudgeUsage):
            return NotImplemented
        return JudgeUsage(**{f.name: _sum(getattr(self, f.name), getattr(other, f.name)) for f in fields(self)})

    def summary(self) -> list[str]:
        """Return the usage for the user."""
        recorded = self.replies - self.asked
        lines = [
            f"{self.replies:,} replies for {self.pairs:,} pairs: {self.asked:,} asked now, {recorded:,} from the record"
        ]
        if self.sent > self.asked:
            lines[0] += f"; {self.sent:,} requests were sent"
        counts = [f"{count:,} {verdict}" for verdict, count in self.verdicts.items()]
        lines.append("verdicts: " + ", ".join([*counts, f"{self.unparsed:,} unparsed"]))
        if self.models:
            lines.append("model: " + ", ".join(f"{name or '(unnamed)'} ({n:,})" for name, n in self.models.items()))
        if any(self.tokens):
            lines.append(f"tokens: {self.tokens.input:,} in, {self.tokens.output:,} out")
        if self.several:
            lines.append(f"disputed: {self.disputed:,} of {self.several:,} pairs with several replies")
        if self.unrecorded:
            lines.append(f"{self.unrecorded:,} replies are in memory only; to keep them: record=FILE (--record FILE)")
        return lines


def _sum(first: Any, second: Any) -> Any:
    if isinstance(first, Mapping):
        return {key: first.get(key, 0) + second.get(key, 0) for key in dict.fromkeys([*first, *second])}
    if isinstance(first, tuple):
        return type(first)(*map(_sum, first, second))
    return first + second


class UsageTotal:
    """The usage of all calls so far.

    Attributes:
        usage: The sum.
    """

    def __init__(self) -> None:
        self.usage = JudgeUsage()

    def add(self, usage: JudgeUsage) -> None:
        """Add the usage of a call, also to the total of all judges that is collected here."""
        self.usage += usage
        shared = _COLLECTED.get()
        if shared is not None and shared is not self:
            shared.usage += usage


_COLLECTED: ContextVar[UsageTotal | None] = ContextVar("answersim usage of judges", default=None)


@contextmanager
def collected(total: UsageTotal) -> Iterator[UsageTotal]:
    """Add to this total what all judges do inside the block, in this thread."""
    before = _COLLECTED.set(total)
    try:
        yield total
    finally:
        _COLLECTED.reset(before)
