"""The client of an OpenAI-compatible server: concurrent requests with retries, rate limits and a clean stop."""

from __future__ import annotations

import base64
import ipaddress
import json
import os
import random
import re
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

from answersim._base.arguments import text
from answersim._base.errors import MissingExtraError, shortened
from answersim.metrics.judge.replies import read_reply
from answersim.metrics.judge.settings import Transport

_REMEDY = "start the server, or correct the address: base_url= (--base-url)"
KEY_VARIABLE = "ANSWERSIM_JUDGE_KEY"
PATH = "/chat/completions"
_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_HOPELESS = frozenset({401, 402, 403, 404, 405, 410})  # the next request would fail for the same reason
_NO_SCHEMA = frozenset({400, 404, 415, 422, 501})  # the statuses of servers that do not support response_format
_LONGEST = 60.0  # seconds of a back-off
_PATIENCE = 600.0  # seconds: a server that requests a longer pause ends the run
_GRACE = 2.0  # seconds to wait for pending replies after Ctrl-C
_GIVE_UP = 5  # requests in a row that failed after all attempts: the server is down
_SECRET = 6  # characters from which on a key is masked in what the server returns; "none" and "EMPTY" are not secrets
_LARGEST = 4_000_000  # bytes of a response
_CONNECTIONS = 3  # attempts to reach a server that has not answered yet
_SOON = 0.4  # seconds before the second of them
_SHOWN = 200  # characters of an error of the server in a message


class JudgeError(OSError):
    """A server did not answer requests. Earlier replies are in the record."""


class _ResponseError(Exception):
    """A response that cannot be used, and that a further request would not improve."""


class Request(NamedTuple):
    """A request."""

    body: Mapping[str, Any]  # the JSON of the request, without ``response_format``
    response_format: Mapping[str, Any]  # the JSON schema of the reply


class Answered(NamedTuple):
    """A response of the server."""

    position: int  # the position of the request, from 0
    raw: str  # the body, in which the key is masked
    structured: bool  # whether it was requested by JSON schema
    seconds: float  # the time from the last request to the response


class Failure(NamedTuple):
    """A request without a response."""

    position: int  # the position of the request, from 0
    reason: str  # why there is none
    hopeless: bool = False  # whether all further requests would fail for the same reason


class SchemaSupport:
    """Whether the server accepts a JSON schema: None until it was tried."""

    def __init__(self) -> None:
        self.accepted: bool | None = None


@dataclass(frozen=True)
class Client:
    """The settings of requests to a server. Its key is read from the environment when requests are sent."""

    base_url: str  # the address up to ``path``, such as http://localhost:8000/v1
    transport: Transport = field(default_factory=Transport)  # timeout, attempts, concurrency, rate and backoff
    path: str = PATH  # what follows the address
    # it raises ValueError for a body that is no reply, so that the request is repeated
    check: Callable[[str], object] = field(default=read_reply, compare=False)
    schema: SchemaSupport = field(default_factory=SchemaSupport, compare=False, repr=False)
    key_variable: str | None = field(default=KEY_VARIABLE, compare=False)  # the environment variable; None for no key

    def ask_all(self, requests: Sequence[Request], receive: Callable[[Answered], None]) -> tuple[list[Failure], int]:
        """Send all requests and pass each response on as it arrives.

        Each of ``concurrency`` threads has its own connection. Ctrl-C ends the run: no further request is sent, pending
        responses are awaited for two seconds, and KeyboardInterrupt is raised. ``receive``: it is called once per
        response, one call at a time. If it raises an exception, the run ends. The result is the requests without a
        response, and the number of requests that were sent, with repetitions after errors.
        """
        run = _Run(self, http_library(), _key(self.key_variable), requests, receive)
        run.start()
        try:
            while not run.done.wait(0.2):  # in pieces, because on Windows, Ctrl-C does not end a wait
                pass
        except BaseException:
            run.end()
            raise
        if run.error is not None:
            raise run.error
        return sorted(run.failures), run.sent


class _Run:
    """One call of ``ask_all``. Its state is shared by its threads and is changed under its lock."""

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
        self._headers = {"Content-Type": "application/json"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        self._masked = _masks(key)
        self._trust: Any = None
        self.url = f"{client.base_url}{client.path}"
        self.failures: list[Failure] = []
        self.error: BaseException | None = None
        self.sent = 0
        self.done = threading.Event()
        self._stop, self._lock = threading.Event(), threading.Lock()
        self._trial, self._receiving = threading.Lock(), threading.Lock()
        self._was_reached = False  # whether the server has sent a response
        self._is_closed = False  # whether responses are no longer received
        self._next = 0
        self._active = min(client.transport.concurrency, len(requests))
        self._unanswered = 0  # requests in a row that failed
        self._not_before = 0.0  # of the monotonic clock: the end of a pause that the server requested
        self._slot = 0.0  # of the same clock: when the rate allows the next request
        self._random = random.Random()

    def start(self) -> None:
        """Start the threads."""
        self._trust = self._httpx.create_ssl_context()  # one for all, because each takes milliseconds
        if not self._active:
            self.done.set()
        for number in range(self._active):
            threading.Thread(target=self._run, name=f"answersim-judge-{number}", daemon=True).start()

    def end(self) -> None:
        """Send no further requests, wait a short time for pending responses, and receive none after that."""
        self._stop.set()
        try:
            self.done.wait(_GRACE)
        finally:
            with self._receiving:
                self._is_closed = True

    def _run(self) -> None:
        try:
            seconds = self.client.transport.timeout
            with self._httpx.Client(
                headers={"User-Agent": "answersim", "Accept": "application/json", "Accept-Encoding": "identity"},
                limits=self._httpx.Limits(max_connections=1, max_keepalive_connections=1),
                timeout=self._httpx.Timeout(seconds, connect=min(seconds, 20.0)),
                trust_env=not is_loopback(self.client.base_url),  # a proxy cannot reach this machine
                verify=self._trust,
            ) as session:
                self._work(session)
        except BaseException as error:
            self._stop.set()
            with self._lock:
                self.error = self.error or error
        finally:
            with self._lock:
                self._active -= 1
                if not self._active:
                    self.done.set()

    def _work(self, session: Any) -> None:
        while True:
            with self._lock:
                index, self._next = self._next, self._next + 1
            if index >= len(self.requests):
                return
            outcome = self._first_alone(session, index)
            if outcome is None:
                return
            if isinstance(outcome, Answered):
                with self._receiving:
                    if self._is_closed:
                        return
                    self._unanswered = 0
                    self.receive(outcome)
                continue
            with self._lock:
                self.failures.append(outcome)
                self._unanswered += 1
                if outcome.hopeless or self._unanswered >= _GIVE_UP:
                    self._stop.set()

    def _first_alone(self, session: Any, index: int) -> Answered | Failure | None:
        """Send one request. Only one is sent at a time until it is known whether the server accepts a schema."""
        if self.client.schema.accepted is None:
            with self._trial:
                if self.client.schema.accepted is None:
                    return self._ask(session, index)
        return self._ask(session, index)

    def _ask(self, session: Any, index: int) -> Answered | Failure | None:
        """Send a request until it is answered; None if the run ends before."""
        httpx, request, schema = self._httpx, self.requests[index], self.client.schema
        reason = ""
        attempt = refused = 0
        attempts = self.client.transport.attempts
        while attempt < attempts:
            structured = schema.accepted is not False
            body = dict(request.body) | ({"response_format": dict(request.response_format)} if structured else {})
            if not self._may_send():
                return None
            with self._lock:
                self.sent += 1
            start, pause = time.monotonic(), None
            try:
                status, headers, raw = self._post(session, body)
            except (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError) as error:
                reason = self._masked(_transport(error, self.client.transport.timeout))
                if not self._was_reached:
                    reason = f"no connection to {self.client.base_url} ({reason}); {_REMEDY}"
                    attempts = min(attempts, 1 if isinstance(error, httpx.ConnectTimeout) else _CONNECTIONS)
                    if attempt + 1 >= attempts:
                        return Failure(index, reason, hopeless=True)
            except _ResponseError as error:
                return Failure(index, str(error))
            except httpx.RequestError as error:
                reason = self._masked(_transport(error, self.client.transport.timeout))
            except TimeoutError:
                reason = _transport(None, self.client.transport.timeout)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                return Failure(index, self._masked(f"{type(error).__name__}: {error}"), hopeless=True)
            else:
                self._was_reached = True
                if status == 200:
                    try:
                        self.client.check(raw)
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
                        schema.accepted = None  # the server refused something else
                    if 300 <= status < 400:
                        why = "a redirect, which is not followed; give the address that it leads to"
                        return Failure(index, f"status {status}, {why}", hopeless=True)
                    if status not in _RETRIED:
                        return Failure(index, reason, hopeless=status in _HOPELESS)
                    pause = _retry_after(headers.get("Retry-After"))
                    if pause is not None and pause > _PATIENCE:
                        reason += f"; the server requests a pause of {pause:,.0f} s"
                        return Failure(index, reason, hopeless=True)
            attempt += 1
            if attempt < attempts and not self._wait(attempt, pause):
                return None
        return Failure(index, f"{reason} (after {attempts} attempts)")

    def _post(self, session: Any, body: Mapping[str, Any]) -> tuple[int, Mapping[str, str], str]:
        """Return the status, the headers and the body of a response, unless it is too large or compressed."""
        until = time.monotonic() + self.client.transport.timeout
        content = json.dumps(body, ensure_ascii=False).encode()
        with session.stream("POST", self.url, content=content, headers=self._headers) as response:
            if (coding := response.headers.get("Content-Encoding", "identity").lower()) != "identity":
                raise _ResponseError(f"the response is compressed ({_short(coding)}), which was not requested")
            chunks, size = [], 0
            for chunk in response.iter_raw():
                chunks.append(chunk)
                size += len(chunk)
                if size > _LARGEST:
                    raise _ResponseError(f"the response has more than {_LARGEST:,} bytes, and was not read to its end")
                if time.monotonic() > until:
                    raise TimeoutError
        return response.status_code, response.headers, self._masked(b"".join(chunks).decode("utf-8", "replace"))

    def _may_send(self) -> bool:
        """Wait for the pause and the rate. Return False if the run ends before."""
        with self._lock:
            moment = max(time.monotonic(), self._slot)
            if self.client.transport.rate:
                self._slot = moment + 60.0 / self.client.transport.rate
        while (wait := max(moment, self._not_before) - time.monotonic()) > 0:
            if self._stop.wait(wait):
                return False
        return not self._stop.is_set()

    def _wait(self, attempt: int, pause: float | None) -> bool:
        """Wait before a retry: as long as the server requests, else longer each time, with jitter; False at an end."""
        first = self.client.transport.backoff if self._was_reached else min(self.client.transport.backoff, _SOON)
        seconds = min(_LONGEST, first * 2 ** (attempt - 1)) * self._random.uniform(0.5, 1.0)
        if pause is not None:  # for all requests, because the limit is per key
            with self._lock:
                self._not_before = max(self._not_before, time.monotonic() + pause)
            seconds = pause + min(seconds, 0.1 * pause)
        return not self._stop.wait(seconds)


def http_library() -> ModuleType:
    """Return httpx, or httpx2, its successor with the same interface, which huggingface_hub 2 installs."""
    for name in ("httpx", "httpx2"):
        with suppress(ModuleNotFoundError):
            return import_module(name)
    raise MissingExtraError("a judge", "judge", "httpx")


def checked_url(base_url: Any, key_variable: str = KEY_VARIABLE) -> str:
    """Return the address of a server without a slash at the end.

    Raise ValueError if it is not an address, or contains credentials. The message names the variable of the key.

    >>> checked_url("http://127.0.0.1:8000/v1/")
    'http://127.0.0.1:8000/v1'
    """
    url = text("base_url", base_url, "http://localhost:8000/v1").strip()
    try:
        parts = urlsplit(url)
        host, secret, _ = parts.hostname, parts.username or parts.password, parts.port
    except ValueError:
        raise ValueError("base_url is not an address; give one such as http://localhost:8000/v1") from None
    if secret or "@" in parts.netloc:
        raise ValueError(f"base_url contains credentials, which would be printed; put the key into ${key_variable}")
    if parts.query or parts.fragment or "?" in url or "#" in url:
        raise ValueError(f"base_url contains a query or a fragment; leave it out. Put a key into ${key_variable}")
    if parts.scheme not in ("http", "https") or not host or any(c.isspace() or not c.isprintable() for c in url):
        raise ValueError(f"base_url is {url[:_SHOWN]!r}, but an address is like http://localhost:8000/v1")
    return url.rstrip("/").removesuffix(PATH)


def _key(variable: str | None) -> str:
    key = "" if variable is None else os.environ.get(variable, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise ValueError(f"${variable} has characters that cannot be sent in a header; set it to the key alone")
    return key


def _masks(key: str) -> Callable[[str], str]:
    """Return what masks a key in a text, also if it is escaped (JSON, percent signs), hexadecimal, or in base64."""
    if len(key) < _SECRET:
        return lambda string: string
    forms = [key, key.encode().hex()]
    for before in range(3):  # the position of the key in a group of three bytes
        coded = base64.b64encode(bytes(before) + key.encode()).decode().rstrip("=")
        start, end = -(-before * 4 // 3), (before + len(key)) * 4 // 3  # the characters that depend on the key alone
        forms += dict.fromkeys((coded[start:end], coded[start:end].translate(str.maketrans("+/", "-_"))))
    escaped = ["".join(map(_escaped, form)) for form in forms if len(form) >= _SECRET]
    # Digits may be a part of a number in JSON.
    plain, coded_forms = re.compile(escaped[0]), re.compile("|".join(escaped[1:]), re.IGNORECASE)
    mask = "1" * len(key) if key.isdigit() else "[key]"
    return lambda string: coded_forms.sub("[key]", plain.sub(mask, string))


def _escaped(character: str) -> str:
    r"""Return the pattern of a character that may be escaped: ``\u0041``, ``\/``, ``%41``."""
    code = f"(?i:{ord(character):02x})"
    return rf"(?:\\{{0,4}}{re.escape(character)}|\\{{1,4}}[uU]00{code}|%{code})"


def is_loopback(url: str) -> bool:
    """Return whether an address is one of this machine."""
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


def _transport(error: BaseException | None, timeout: float) -> str:
    if error is None or type(error).__name__ in ("ReadTimeout", "WriteTimeout"):
        return f"no complete response in {timeout:g} s"
    return f"{type(error).__name__}: {error}".rstrip(": ")


def _short(raw: str) -> str:
    return shortened(ascii(" ".join(raw.split())), _SHOWN)
