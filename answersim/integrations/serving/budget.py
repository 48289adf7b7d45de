"""What a service accepts: limits of one request, of one row, and of all requests that are not answered yet."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

from answersim._base.arguments import finite, is_unicode, whole

NESTING = 3  # how deep gold answers may be nested
_IN_LOOP = 100_000  # bytes of a body that the event loop parses itself
_VALUE = 64  # bytes that a value of JSON takes at most, apart from its text
# Characters beyond U+FFFF and U+00FF, as bytes and as escapes: Python stores a text with one of them in 4 and 2 bytes
# per character.
_WIDE = ((4, re.compile(rb"[\xf0-\xff]|\\u[dD][89abAB]")), (2, re.compile(rb"[\xc4-\xef]|\\u")))


class RefusedError(Exception):
    """A request that gets no reward: the HTTP status, and the reason."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


@dataclass(frozen=True)
class Limits:
    """What one request may contain, and what may wait."""

    body: int = 32_000_000  # the bytes of a request
    rows: int = 16_384  # the rows of a request
    golds: int = 1_000  # the gold answers of a row. A row with more has no reward, and the others are scored.
    sending: float = 30.0  # the seconds in which a request has to arrive
    waiting: int = 131_072  # the rows of all requests that are not answered yet. A request above it gets status 503.
    # the bytes that the texts and values of all these requests may take, as Python stores them. A request above it gets
    # status 503, or 413 if it alone takes more.
    memory: int = 200_000_000

    def __post_init__(self) -> None:
        """Check the numbers. Raise ValueError if one is below 1, or no time is left for sending."""
        for name in ("body", "rows", "golds", "waiting", "memory"):
            whole(name, getattr(self, name), 1)
        if finite("sending", self.sending) <= 0:
            raise ValueError(f"sending is {self.sending}, but it must be a number of seconds above 0")


class Budget:
    """What the requests that are not answered yet take."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.rows = 0
        self.bytes = 0
        self.arriving: list[Share] = []  # the requests that are not complete, the oldest first
        self._parsing = asyncio.Lock()  # one large body at a time, because its text is in memory twice

    @contextmanager
    def request(self) -> Iterator[Share]:
        """Yield the share of a request, which is free again after the block."""
        share = Share(self)
        try:
            yield share
        finally:
            share.free()

    async def read(self, parts: AsyncIterator[bytes], share: Share) -> Mapping[str, Any]:
        """Return the JSON object in these parts of a body. Raise RefusedError with status 400, 408, 413 or 503."""
        most = self.limits.body

        async def collect() -> None:
            async for chunk in parts:
                if len(share.raw) + len(chunk) > most:
                    problem = f"the body has more than {most:,} bytes"
                    raise RefusedError(413, f"{problem}; send fewer rows, or raise --limit body=")
                share.take(len(chunk) + _VALUE * sum(map(chunk.count, (b",", b"[", b"{"))))
                share.raw.extend(chunk)

        self.arriving.append(share)
        try:
            await asyncio.wait_for(collect(), self.limits.sending)
        except asyncio.TimeoutError:
            problem = f"the request did not arrive in {self.limits.sending:g} seconds"
            raise RefusedError(408, f"{problem}; send it again") from None
        finally:
            self.arriving.remove(share)
        share.take(0)  # it may have given way after its last byte
        if len(share.raw) <= _IN_LOOP:
            return _parsed(share.raw)
        async with self._parsing:
            text = len(share.raw) * next((width for width, wide in _WIDE if wide.search(share.raw)), 1)
            share.take(2 * text - len(share.raw))  # the whole text, and then its parts
            body = await asyncio.to_thread(_parsed, share.raw)
            share.take(-text)
        return body


class Share:
    """What one request takes of a budget."""

    def __init__(self, budget: Budget) -> None:
        self.raw = bytearray()  # the body, as far as it has arrived
        self._budget = budget
        self._rows = self._bytes = 0
        self._gave_way = False

    def take(self, size: int) -> None:
        """Take these bytes, or raise RefusedError. The newest incomplete requests give way to the oldest one."""
        budget, most = self._budget, self._budget.limits.memory
        if self._bytes + size > most:
            problem = f"the texts and values of the request take more than {most:,} bytes of memory"
            raise RefusedError(413, f"{problem}; send fewer rows, or raise --limit memory=")
        newer = budget.arriving[budget.arriving.index(self) + 1 :] if self in budget.arriving else [*budget.arriving]
        while budget.bytes + size > most and newer:
            newer.pop().give_way()
        if self._gave_way or budget.bytes + size > most:
            raise RefusedError(503, f"requests that wait take {budget.bytes:,} of {most:,} bytes; try again later")
        self._bytes += size
        budget.bytes += size

    def give_way(self) -> None:
        """Forget what has arrived. The request is refused when more of it arrives."""
        self._gave_way = True
        self.raw.clear()
        self.free()

    def take_rows(self, body: Mapping[str, Any]) -> None:
        """Take the rows of this body. Raise RefusedError if there are too many."""
        budget, limits = self._budget, self._budget.limits
        columns = (body.get(name) for name in ("preds", "golds", "query", "labels"))
        rows = max((len(column) for column in columns if isinstance(column, list)), default=1)
        if rows > limits.rows:
            raise RefusedError(413, f"the request has {rows:,} rows, more than {limits.rows:,}; send several requests")
        if budget.rows + rows > limits.waiting:
            problem = f"{budget.rows:,} rows are waiting, and the limit is {limits.waiting:,}"
            raise RefusedError(503, f"{problem}; try again later")
        self._rows += rows
        budget.rows += rows

    def free(self) -> None:
        """Give everything back."""
        self._budget.rows -= self._rows
        self._budget.bytes -= self._bytes
        self._rows = self._bytes = 0


def row_problem(gold: Any, pred: Any, question: Any, most: int) -> str:
    """Return why a row cannot be scored within the limits; "" if it can.

    ``most``: the largest number of gold answers.

    >>> row_problem(["Rome"] * 3, "Rome", "", 2), row_problem([[[["Rome"]]]], "Rome", "", 9)
    ('the row has more than 2 gold answers', 'the gold answers are nested more than 3 deep')
    """
    texts, level, entries = [pred, question], [gold], 0
    for _ in range(NESTING + 1):
        lists = [value for value in level if isinstance(value, list)]
        texts += [value for value in level if not isinstance(value, list)]
        entries += sum(map(len, lists))
        if entries > most:
            return f"the row has more than {most:,} gold answers"
        level = [value for values in lists for value in values]
        if not lists:
            break
    else:
        return f"the gold answers are nested more than {NESTING} deep"
    if any(isinstance(text, Mapping) for text in texts[2:]):
        return "a gold answer is an object, not a text"
    if any(isinstance(text, str) and not is_unicode(text) for text in texts):
        return "a text contains half of a surrogate pair, which is no character"
    return ""


def _parsed(raw: bytearray) -> Mapping[str, Any]:
    """Return the object in this JSON, and forget the bytes."""
    try:
        text = raw.decode()
        raw.clear()
        body = json.loads(text, parse_constant=_no_number, parse_float=_number)
    except (ValueError, RecursionError) as error:
        raise RefusedError(400, f"the body is no JSON: {error}") from error
    if not isinstance(body, dict):
        raise RefusedError(400, f"the body is a JSON {type(body).__name__}, but it must be an object")
    return body


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def _number(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"the number {text[:20]} is too large")
    return number
