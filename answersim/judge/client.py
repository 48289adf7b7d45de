"""The client of an OpenAI-compatible server: many requests at once, with retries, limits and an orderly end."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import os
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from answersim.arguments import text
from answersim.errors import MissingExtraError
from answersim.judge.replies import read_reply

KEY_VARIABLE = "ANSWERSIM_JUDGE_KEY"
PATH = "/chat/completions"
_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_HOPELESS = frozenset({401, 402, 403, 404, 405, 410})  # the next request would fail for the same reason
_NO_SCHEMA = frozenset({400, 404, 415, 422, 501})  # what servers answer that know no response_format
_LONGEST = 60.0  # seconds of a back-off
_PATIENCE = 600.0  # seconds: a server that asks for a longer pause ends the run
_GRACE = 2.0  # seconds in which replies that are on their way are awaited after Ctrl-C
_GIVE_UP = 5  # requests in a row that failed after all attempts: the server is down
_SECRET = 6  # characters from which on a key is masked in what the server returns; "none" and "EMPTY" are no secrets
_SHOWN = 200  # characters of an error of the server in a message


class JudgeError(OSError):
    """A server did not answer requests. What was answered before is in the record."""


class Request(NamedTuple):
    """A request.

    Attributes:
        body: The JSON of the request, without ``response_format``.
        response_format: The JSON schema of the reply.
    """

    body: Mapping[str, Any]
    response_format: Mapping[str, Any]


class Answered(NamedTuple):
    """A response of the server.

    Attributes:
        position: The position of the request, from 0.
        raw: The body, in which the key is masked.
        structured: Whether it was requested by JSON schema.
        seconds: The time from the last request to the response.
    """

    position: int
    raw: str
    structured: bool
    seconds: float


class Failure(NamedTuple):
    """A request without a response.

    Attributes:
        position: The position of the request, from 0.
        reason: Why there is none.
        hopeless: Whether all further requests would fail for the same reason.
    """

    position: int
    reason: str
    hopeless: bool = False


class Effort(NamedTuple):
    """The requests that were sent.

    Attributes:
        sent: The number of requests, with repetitions after errors.
        retried: How many of them repeated one that failed.
    """

    sent: int = 0
    retried: int = 0


class SchemaSupport:
    """Whether the server accepts a JSON schema: None until it was tried."""

    def __init__(self) -> None:
        self.accepted: bool | None = None


@dataclass(frozen=True)
class Client:
    """How a server is asked. The key of the server is read from the environment when requests are sent.

    Attributes:
        base_url: The address up to ``/chat/completions``, such as http://localhost:8000/v1.
        timeout: The most seconds that one response may take.
        attempts: How often a request is sent before it fails.
        concurrency: The most requests at a time.
        rate: The most requests per minute; None for no limit.
        backoff: The seconds before the first repetition. They double with each further one.
    """

    base_url: str
    timeout: float = 60.0
    attempts: int = 6
    concurrency: int = 16
    rate: float | None = None
    backoff: float = 0.5
    schema: SchemaSupport = field(default_factory=SchemaSupport, compare=False, repr=False)

    def ask_all(self, requests: Sequence[Request], receive: Callable[[Answered], None]) -> tuple[list[Failure], Effort]:
        """Send all requests and pass each response on as it arrives.

        The requests run in a thread of their own. Ctrl-C ends the run: no further request is sent, responses that are
        on their way are awaited for two seconds, and KeyboardInterrupt is raised.

        Args:
            requests: The requests.
            receive: It is called once per response, one call at a time. If it raises an exception, the run ends.

        Returns:
            The requests without a response, and the number of requests that were sent.

        Raises:
            MissingExtraError: If httpx is not installed.
            ValueError: If the key in the environment cannot be sent.
        """
        run = _Run(self, http_library(), _key(), requests, receive)
        thread = threading.Thread(target=run.main, name="answersim-judge", daemon=True)
        thread.start()
        try:
            while not run.done.wait(0.2):  # in pieces, because on Windows, Ctrl-C does not end a wait
                pass
        except BaseException:  # not by Thread.join: up to Python 3.12, one that was interrupted never waits again
            run.end()
            run.done.wait(_GRACE + 5)
            raise
        thread.join()
        if run.error is not None:
            raise run.error
        return sorted(run.failures), Effort(run.sent, run.retried)


class _Run:
    """One call of ``ask_all``: its state is used by the event loop in its thread only."""

    def __init__(
        self,
        client: Client,
        httpx: ModuleType,
        key: str,
        requests: Sequence[Request],
        receive: Callable[[Answered], None],
    ) -> None:
        self.client, self.requests, self.receive = client, requests, receive
        self._httpx: Any = httpx
        self._key = key
        self.url = f"{client.base_url}{PATH}"
        self.failures: list[Failure] = []
        self.error: BaseException | None = None
        self.sent = self.retried = 0
        self._next = 0
        self._stopped = False
        self._not_before = 0.0  # of the clock of the loop: a pause that the server asked for
        self._slot = 0.0  # likewise: when the rate allows the next request
        self._random = random.Random()
        self._unanswered = 0  # requests in a row that failed
        self._loop: asyncio.AbstractEventLoop | None = None
        self._masks = _masks(key)
        self.done = threading.Event()

    def main(self) -> None:
        """Run the event loop until all requests are done."""
        try:
            asyncio.run(self._all())
        except asyncio.CancelledError:
            pass
        except BaseException as error:
            self.error = error
        finally:
            self.done.set()

    def end(self) -> None:
        """Send nothing more, and leave responses that are on their way a short time. Called from another thread."""
        self._stopped = True
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._stop.set)
            loop.call_soon_threadsafe(loop.call_later, _GRACE, self._cancel)

    def _cancel(self) -> None:
        for worker in self._workers:
            worker.cancel()

    async def _all(self) -> None:
        httpx = self._httpx
        loop = asyncio.get_running_loop()
        self._stop, self._trial = asyncio.Event(), asyncio.Lock()
        self._trust = httpx.create_ssl_context()  # one for all, because each takes milliseconds
        count = min(self.client.concurrency, len(self.requests))
        self._workers = [asyncio.ensure_future(self._connected()) for _ in range(count)]
        self._loop = loop  # from here on, end() reaches the loop
        if self._stopped:  # it was called before
            self._stop.set()
            loop.call_later(_GRACE, self._cancel)
        results = await asyncio.gather(*self._workers, return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException) and not isinstance(result, asyncio.CancelledError):
                raise result

    async def _connected(self) -> None:
        """Work with a connection of its own: a pool would look through all its connections for each request."""
        httpx, seconds = self._httpx, self.client.timeout
        async with httpx.AsyncClient(
            headers={"User-Agent": "answersim", "Accept": "application/json"},
            limits=httpx.Limits(max_connections=1, max_keepalive_connections=1),
            timeout=httpx.Timeout(seconds, connect=min(seconds, 20.0)),
            trust_env=not _is_loopback(self.client.base_url),  # a proxy cannot reach this machine
            verify=self._trust,
        ) as session:
            await self._work(session)

    async def _work(self, session: Any) -> None:
        while not self._stopped and self._next < len(self.requests):
            index, self._next = self._next, self._next + 1
            try:
                outcome = await self._first_alone(session, index)
                if outcome is None:
                    return
                if isinstance(outcome, Answered):
                    self._unanswered = 0
                    self.receive(outcome)
                    continue
            except BaseException:
                self._stopped = True
                self._stop.set()
                raise
            self.failures.append(outcome)
            self._unanswered += 1
            if outcome.hopeless or self._unanswered >= _GIVE_UP:
                self._stopped = True
                self._stop.set()

    async def _first_alone(self, session: Any, index: int) -> Answered | Failure | None:
        """Send one request. Until it is known whether the server accepts a schema, only one is sent at a time."""
        if self.client.schema.accepted is None:
            async with self._trial:
                if self.client.schema.accepted is None:
                    return None if self._stopped else await self._ask(session, index)
        return None if self._stopped else await self._ask(session, index)

    async def _ask(self, session: Any, index: int) -> Answered | Failure | None:
        """Send a request until it is answered; None if the run ends before."""
        httpx, request, schema = self._httpx, self.requests[index], self.client.schema
        reason = ""
        attempt = refused = 0
        while attempt < self.client.attempts:
            if attempt + refused:
                self.retried += 1
            structured = schema.accepted is not False
            body = dict(request.body) | ({"response_format": dict(request.response_format)} if structured else {})
            if not await self._may_send():
                return None
            self.sent += 1
            start, pause = time.monotonic(), None
            try:
                response = await asyncio.wait_for(
                    session.post(self.url, json=body, headers=self._headers()), self.client.timeout
                )
                status, raw = response.status_code, self._masked(response.content.decode("utf-8", "replace"))
            except (httpx.TransportError, asyncio.TimeoutError, TimeoutError) as error:
                reason = self._masked(_transport(error, self.client.timeout))
            except httpx.HTTPError as error:
                return Failure(index, self._masked(f"{type(error).__name__}: {error}"), hopeless=True)
            else:
                if status == 200:
                    try:
                        read_reply(raw)
                    except ValueError as error:
                        reason = f"{error}: {_short(raw)}"
                    else:
                        if structured:
                            schema.accepted = True
                        return Answered(index, raw, structured, time.monotonic() - start)
                else:
                    reason = f"status {status}: {_short(raw)}"
                    if structured and schema.accepted is None and status in _NO_SCHEMA:
                        refused, schema.accepted = 1, False
                        continue
                    if refused and status not in _RETRIED:
                        schema.accepted = None  # it was something else that the server refused
                    if 300 <= status < 400:
                        reason = f"status {status}, a redirect, which is not followed; give the address it leads to"
                        return Failure(index, reason, hopeless=True)
                    if status not in _RETRIED:
                        return Failure(index, reason, hopeless=status in _HOPELESS)
                    pause = _retry_after(response.headers.get("Retry-After"))
                    if pause is not None and pause > _PATIENCE:
                        reason += f"; the server asks for a pause of {pause:,.0f} s"
                        return Failure(index, reason, hopeless=True)
            attempt += 1
            if attempt < self.client.attempts and not await self._wait(attempt, pause):
                return None
        return Failure(index, f"{reason} (after {self.client.attempts} attempts)")

    async def _may_send(self) -> bool:
        """Wait for the pause and the rate; False if the run ends before."""
        assert self._loop is not None
        moment = max(self._loop.time(), self._slot if self.client.rate else 0.0)
        if self.client.rate:
            self._slot = moment + 60.0 / self.client.rate
        while (wait := max(moment, self._not_before) - self._loop.time()) > 0:
            if not await self._sleep(wait):
                return False
        return not self._stopped

    async def _wait(self, attempt: int, pause: float | None) -> bool:
        """Wait before a repetition: as long as the server says, else longer each time, with jitter."""
        assert self._loop is not None
        seconds = min(_LONGEST, self.client.backoff * 2 ** (attempt - 1)) * self._random.uniform(0.5, 1.0)
        if pause is not None:  # for all requests, because it is the key that is limited
            self._not_before = max(self._not_before, self._loop.time() + pause)
            seconds = pause + min(seconds, 0.1 * pause)
        return await self._sleep(seconds)

    async def _sleep(self, seconds: float) -> bool:
        """Sleep; False at once if the run ends."""
        try:
            await asyncio.wait_for(self._stop.wait(), seconds)
        except (asyncio.TimeoutError, TimeoutError):
            return True
        return False

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._key}"} if self._key else {}

    def _masked(self, string: str) -> str:
        for secret, mask in self._masks.items():
            string = string.replace(secret, mask)
        return string


def http_library() -> ModuleType:
    """Return httpx, or httpx2, its successor with the same interface, which huggingface_hub 2 installs.

    Raises:
        MissingExtraError: If neither is installed.
    """
    for name in ("httpx", "httpx2"):
        with suppress(ModuleNotFoundError):
            return import_module(name)
    raise MissingExtraError("a judge", "judge", "httpx")


def checked_url(base_url: Any) -> str:
    """Return the address of a server without a slash at the end.

    Raises:
        ValueError: If it is no address, or contains credentials. The message does not repeat them.

    >>> checked_url("http://127.0.0.1:8000/v1/")
    'http://127.0.0.1:8000/v1'
    """
    url = text("base_url", base_url, "http://localhost:8000/v1").strip()
    try:
        parts = urlsplit(url)
        host, secret, _ = parts.hostname, parts.username or parts.password, parts.port
    except ValueError:
        raise ValueError("base_url is no address; give one such as http://localhost:8000/v1") from None
    if secret or "@" in parts.netloc:
        raise ValueError(f"base_url contains credentials, which would be printed; put the key into ${KEY_VARIABLE}")
    if parts.query or parts.fragment or "?" in url or "#" in url:
        raise ValueError(f"base_url contains a query or a fragment; leave it out. A key belongs into ${KEY_VARIABLE}")
    if parts.scheme not in ("http", "https") or not host or any(c.isspace() or not c.isprintable() for c in url):
        raise ValueError(f"base_url is {url[:_SHOWN]!r}, but an address is like http://localhost:8000/v1")
    return url.rstrip("/").removesuffix(PATH)


def _key() -> str:
    key = os.environ.get(KEY_VARIABLE, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise ValueError(f"${KEY_VARIABLE} has characters that cannot be sent in a header; set it to the key alone")
    return key


def _masks(key: str) -> dict[str, str]:
    """Return what stands for a key, and for its form inside a JSON string, in everything that the server returns."""
    if len(key) < _SECRET:
        return {}
    mask = "1" * len(key) if key.isdigit() else "[key]"  # digits may be a part of a number in JSON
    return dict.fromkeys((key, json.dumps(key)[1:-1], key.replace("/", "\\/")), mask)


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _retry_after(value: str | None) -> float | None:
    """Return the seconds in the header Retry-After, which is a number or a date; None if there is none.

    >>> _retry_after("1.5"), _retry_after("soon"), _retry_after("Wed, 21 Oct 2015 07:28:00 GMT")
    (1.5, None, 0.0)
    """
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except (TypeError, ValueError, OverflowError):
            return None
    return max(0.0, seconds) if seconds == seconds else None


def _transport(error: BaseException, timeout: float) -> str:
    if isinstance(error, (asyncio.TimeoutError, TimeoutError)) or type(error).__name__ in (
        "ReadTimeout",
        "WriteTimeout",
    ):
        return f"no whole response in {timeout:g} s"
    return f"{type(error).__name__}: {error}".rstrip(": ")


def _short(raw: str) -> str:
    shown = ascii(" ".join(raw.split()))
    return shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 3]}..."
