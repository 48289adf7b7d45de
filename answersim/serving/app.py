"""The paths of the service: JSON in, rewards out, with limits of size, rows and work that waits."""

from __future__ import annotations

import asyncio
import hmac
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from answersim.arguments import whole
from answersim.errors import MissingExtraError
from answersim.integrations import nemo_gym, openrlhf
from answersim.integrations.completions import column
from answersim.reward.results import RewardResult
from answersim.reward.reward import Reward
from answersim.serving.counts import Counts

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

Answer = Callable[[Mapping[str, Any], Reward], Awaitable[dict[str, Any]]]
OPEN = "/health"  # the path that needs no token
_IN_LOOP = 100_000  # bytes of a body that the event loop parses itself


class RefusedError(Exception):
    """A request that gets no reward: the HTTP status, and the reason."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


@dataclass(frozen=True)
class Limits:
    """What one request may contain, and what may wait."""

    body: int = 64_000_000  # the bytes of a request
    rows: int = 16_384  # the rows of a request
    waiting: int = 131_072  # the rows of all requests that are not answered yet. A request above it gets status 503.

    def __post_init__(self) -> None:
        """Check the numbers. Raise ValueError if one is below 1."""
        for name, value in (("body", self.body), ("rows", self.rows), ("waiting", self.waiting)):
            whole(name, value, 1)


async def score(body: Mapping[str, Any], reward: Reward) -> dict[str, Any]:
    """Return the rewards of ``golds``, ``preds`` and, if there is one, ``question``: lists with one entry per row."""
    preds = column(body, "preds", len(body.get("preds") or []))
    golds = column(body, "golds", len(preds))
    result = await reward.score_async(golds, preds, body.get("question"))
    return {"scores": result.scores, "rows": result.records(), "signature": result.signature}


class _Counted:
    """A reward that counts the rows of its results."""

    def __init__(self, reward: Reward, counts: Counts) -> None:
        self.reward, self.counts = reward, counts

    async def score_async(self, golds: Any, preds: Any, question: Any = None) -> RewardResult:
        result = await self.reward.score_async(golds, preds, question)
        self.counts.rows(result)
        return result


def build(
    reward: Reward, *, limits: Limits | None = None, token: str | None = None, gold: str = nemo_gym.GOLD
) -> Starlette:
    """Return the ASGI application. Requests at the same time share the batches of the metric.

    ``token``: what the header ``Authorization: Bearer`` has to contain, on all paths but ``/health``; None for any.
    ``gold``: the field of a request to ``/verify`` with the gold answer. Raise MissingExtraError if starlette is not
    installed.
    """
    try:
        from starlette.applications import Starlette
        from starlette.responses import JSONResponse, PlainTextResponse
        from starlette.routing import Route
    except ImportError as error:
        raise MissingExtraError("answersim serve", "serve", error.name or "starlette") from error

    async def verify(body: Mapping[str, Any], reward: Reward) -> dict[str, Any]:
        return await nemo_gym.verify(body, reward, gold)

    async def seed(body: Mapping[str, Any], reward: Reward) -> dict[str, Any]:
        return {}  # an agent of NeMo Gym begins a session; a verification has no state

    counts = Counts(reward.signature)
    counted: Any = _Counted(reward, counts)
    allowed = limits or Limits()

    def posted(answer: Answer) -> Callable[[Request], Awaitable[Response]]:
        async def handle(request: Request) -> Response:
            start = time.monotonic()
            rows = 0
            try:
                _check_token(request, token)
                body = await _body(request, allowed.body)
                rows = _rows(body, allowed, counts.waiting)
                counts.waiting += rows
                response = JSONResponse(await answer(body, counted))
            except RefusedError as error:
                response = JSONResponse({"error": str(error)}, error.status)
            except (LookupError, TypeError, ValueError, AttributeError) as error:
                response = JSONResponse({"error": f"{error.args[0] if error.args else error}"}, 422)
            except Exception as error:  # of a metric; a caller gets the reason, and never a reward
                response = JSONResponse({"error": f"{type(error).__name__}: {error}"}, 500)
            finally:
                counts.waiting -= rows
            counts.request(request.url.path, response.status_code, time.monotonic() - start)
            return response

        return handle

    async def health(request: Request) -> Response:
        return JSONResponse({"status": "ok", "signature": reward.signature})

    async def metrics(request: Request) -> Response:
        try:
            _check_token(request, token)
        except RefusedError as error:
            return JSONResponse({"error": str(error)}, error.status)
        return PlainTextResponse(counts.text(), media_type="text/plain; version=0.0.4")

    paths = {"/score": score, "/reward": openrlhf.remote, "/verify": verify, "/seed_session": seed}
    routes = [Route(path, posted(answer), methods=["POST"]) for path, answer in paths.items()]
    return Starlette(routes=[*routes, Route(OPEN, health), Route("/metrics", metrics)])


def _check_token(request: Request, token: str | None) -> None:
    given = request.headers.get("authorization", "")
    if token is not None and not hmac.compare_digest(given.encode(), f"Bearer {token}".encode()):
        raise RefusedError(401, "the header Authorization: Bearer does not contain the token of this service")


async def _body(request: Request, most: int) -> Mapping[str, Any]:
    """Return the JSON object of a request, of which no more than ``most`` bytes are read."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise RefusedError(413, f"the body has more than {most:,} bytes; send fewer rows, or raise --max-body")
        parts.append(part)
    raw = b"".join(parts)
    try:
        body = json.loads(raw) if size <= _IN_LOOP else await asyncio.to_thread(json.loads, raw)
    except (ValueError, RecursionError) as error:
        raise RefusedError(400, f"the body is no JSON: {error}") from error
    if not isinstance(body, dict):
        raise RefusedError(400, f"the body is a JSON {type(body).__name__}, but it must be an object")
    return body


def _rows(body: Mapping[str, Any], limits: Limits, waiting: int) -> int:
    """Return the rows of a request, after a check of the limits."""
    columns = (body.get(name) for name in ("preds", "golds", "query", "labels"))
    rows = max((len(column) for column in columns if isinstance(column, list)), default=1)
    if rows > limits.rows:
        raise RefusedError(413, f"the request has {rows:,} rows, more than {limits.rows:,}; send several requests")
    if waiting + rows > limits.waiting:
        raise RefusedError(503, f"{waiting:,} rows are waiting, and the limit is {limits.waiting:,}; try again later")
    return rows
