"""The cost of a judge: requests, tokens and money, and how often its replies disagree."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from answersim._base.arguments import expanded, number, shown
from answersim._base.text_tables import Result
from answersim.metrics.judge.replies import Reply

_PER = 1_000_000  # tokens that a price is for


@dataclass(frozen=True)
class Prices:
    """The prices of models, per million tokens."""

    # the prices of input and of output tokens by the name of the model, as returned or as requested
    by_model: Mapping[str, tuple[float, float]]
    currency: str = "USD"  # the currency

    def of(self, model: str, reply: Reply) -> float | None:
        """Return the price of a reply; None if the table lacks the model, or the server counted no tokens."""
        rates = self.by_model.get(reply.model) or self.by_model.get(model)
        if rates is None or reply.input_tokens is None or reply.output_tokens is None:
            return None
        return (rates[0] * reply.input_tokens + rates[1] * reply.output_tokens) / _PER


class Tokens(NamedTuple):
    """The tokens of requests and of replies, as the server counted them."""

    input: int = 0
    output: int = 0


class Cost(NamedTuple):
    """The price of replies."""

    total: float = 0.0  # of all these replies, in ``currency``
    now: float = 0.0  # of those that were requested now
    unpriced: int = 0  # the replies without a price: the table lacks the model, or the server counted no tokens
    currency: str = ""  # that of the price table; "" if there is none


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
    cost: Cost = field(default_factory=Cost)
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
        if self.cost.currency:
            without = f"; {self.cost.unpriced:,} replies have no price" if self.cost.unpriced else ""
            lines.append(f"cost: {self.cost.total:.4f} {self.cost.currency}, of it {self.cost.now:.4f} now{without}")
        if self.several:
            lines.append(f"disputed: {self.disputed:,} of {self.several:,} pairs with several replies")
        if self.unrecorded:
            lines.append(f"{self.unrecorded:,} replies are in memory only; to keep them: record=FILE (--record FILE)")
        return lines


def _sum(first: Any, second: Any) -> Any:
    if isinstance(first, str):
        return first or second
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


def read_prices(source: Any) -> Prices | None:
    """Return a price table from a mapping, or from a JSON file.

    Its form is ``{"currency": "USD", "some-model": {"input": 2.5, "output": 10}}``, with prices per million tokens.
    """
    if source is None or isinstance(source, Prices):
        return source
    where = "prices"
    if isinstance(source, (str, os.PathLike)):
        where = str(source)
        try:
            source = json.loads(expanded(source).read_text(encoding="utf-8-sig"))
        except json.JSONDecodeError as error:
            raise ValueError(f"{where} is not JSON ({error}); give a file such as {_EXAMPLE}") from None
    if not isinstance(source, Mapping):
        raise TypeError(f"{where} is {shown(source)}, but a price table has the form {_EXAMPLE}")
    rates: dict[str, tuple[float, float]] = {}
    for model, price in source.items():
        if model == "currency":
            continue
        if not isinstance(price, Mapping) or set(price) != {"input", "output"}:
            raise ValueError(
                f"{where}: the price of {model!r} is {shown(price)}, but a price table has the form {_EXAMPLE}"
            )
        both = (number(f"{where}: input", price["input"]), number(f"{where}: output", price["output"]))
        if not all(0 <= rate < float("inf") for rate in both):
            raise ValueError(f"{where}: the price of {model!r} is {both}, but a price must be 0 or more")
        rates[str(model)] = both
    return Prices(rates, str(source.get("currency", "USD")))


_EXAMPLE = '{"currency": "USD", "some-model": {"input": 2.5, "output": 10}}'
