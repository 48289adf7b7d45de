"""The paths of the service: JSON in, rewards out, within limits of time, memory and work."""

from __future__ import annotations

import hmac
import json
import re
import threading
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from answersim._base.errors import MissingExtraError, unknown
from answersim.integrations.rewards import nemo_gym, openrlhf
from answersim.integrations.serving.budget import Budget, Limits, RefusedError, row_problem
from answersim.integrations.shared.completions import column
from answersim.scoring.reward.results import NO_MARK, RewardResult, RewardRow
from answersim.scoring.reward.reward import Reward

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response


BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)  # seconds
_HELP = {
    "answersim_requests_total": ("counter", "Requests, by path and status."),
    "answersim_rows_total": ("counter", "Rows, by verdict."),
    "answersim_rows_by_stage_total": ("counter", "Rows, by the stage that decided."),
    "answersim_rows_waiting": ("gauge", "Rows of requests that are not answered yet."),
    "answersim_bytes_waiting": ("gauge", "Bytes that the texts and values of these requests take."),
    "answersim_request_seconds": ("histogram", "Seconds of answered requests."),
    "answersim_info": ("gauge", "The signature of the reward."),
}


class Counts:
    """Counters that threads share. ``budget``: what requests that are not answered yet take; nothing if None."""

    def __init__(self, signature: str, budget: Budget | None = None) -> None:
        self._lock = threading.Lock()
        self._totals: Counter[tuple[str, str]] = Counter()
        self._totals["answersim_info", f'signature="{_escaped(signature)}"'] = 1
        self._seconds = [0] * (len(BOUNDS) + 1)
        self._sum = 0.0
        self._budget = budget or Budget(Limits())

    def request(self, path: str, status: int, seconds: float) -> None:
        """Count an answered request."""
        with self._lock:
            self._totals["answersim_requests_total", f'path="{_escaped(path)}",status="{status}"'] += 1
            self._seconds[bisect_left(BOUNDS, seconds)] += 1
            self._sum += seconds

    def rows(self, result: RewardResult) -> None:
        """Count the rows of a result."""
        with self._lock:
            for row in result:
                self._totals["answersim_rows_total", f'verdict="{row.verdict}"'] += 1
                self._totals["answersim_rows_by_stage_total", f'stage="{_escaped(row.stage)}"'] += 1

    def text(self) -> str:
        """Return all numbers. See the exposition format of Prometheus, version 0.0.4."""
        with self._lock:
            totals, seconds, total = dict(self._totals), list(self._seconds), self._sum
        gauges = {"answersim_rows_waiting": self._budget.rows, "answersim_bytes_waiting": self._budget.bytes}
        lines: list[str] = []
        for name, (kind, about) in _HELP.items():
            lines += [f"# HELP {name} {about}", f"# TYPE {name} {kind}"]
            lines += [f"{name}{{{labels}}} {n}" for (counted, labels), n in sorted(totals.items()) if counted == name]
            lines += [f"{name} {gauges[name]}"] if name in gauges else []
            if kind == "histogram":
                buckets = zip([*map(str, BOUNDS), "+Inf"], accumulate(seconds), strict=True)
                lines += [f'{name}_bucket{{le="{bound}"}} {reached}' for bound, reached in buckets]
                lines += [f"{name}_sum {total:.6f}", f"{name}_count {sum(seconds)}"]
        return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


Answer = Callable[[Mapping[str, Any], Reward], Awaitable[dict[str, Any]]]
OPEN = "/health"  # the path that needs no token
FIELDS = ("golds", "preds", "question", "choices")  # of a request to /score
_TOKEN = re.compile(r"[!-~]+")  # visible ASCII without blanks
_LEFT = 499  # counted for a client that leaves before it gets a response


def checked_token(token: str | None) -> str | None:
    """Return this token without white space around it, None for None. Raise ValueError if no header can contain it."""
    if token is None:
        return None
    bare = token.strip()
    if not _TOKEN.fullmatch(bare):
        problem = "is blank" if not bare else "has white space or letters beyond ASCII inside"
        raise ValueError(f"the token of the service {problem}; give visible ASCII characters")
    return bare


async def score(body: Mapping[str, Any], reward: Reward) -> dict[str, Any]:
    """Return the rewards of ``golds``, ``preds`` and, if given, ``question`` and ``choices``: lists by row."""
    for name in body:
        if name not in FIELDS:
            raise unknown("field of a request to /score", name, FIELDS)
    preds = column(body, "preds")
    golds = column(body, "golds", len(preds))
    more = [None if body.get(name) is None else column(body, name, len(preds)) for name in FIELDS[2:]]
    result = await reward.score_async(golds, preds, *more)
    return {"scores": result.scores, "rows": result.records(), "signature": result.signature}


class _Limited:
    """A reward that leaves out rows beyond the limits, and counts the rows of its results."""

    def __init__(self, reward: Reward, counts: Counts, golds: int) -> None:
        self.reward, self.counts, self.golds = reward, counts, golds

    async def score_async(self, golds: Any, preds: Any, question: Any = None, choices: Any = None) -> RewardResult:
        """Return the rewards. A row beyond the limits has none, and a reason; if all are, raise RefusedError."""
        questions = [""] * len(preds) if question is None else question
        options = [()] * len(preds) if choices is None else choices
        problems = [
            row_problem(gold, pred, text, self.golds) or row_problem(listed, "", "", self.golds)
            for gold, pred, text, listed in zip(golds, preds, questions, options, strict=True)
        ]
        accepted = [i for i, problem in enumerate(problems) if not problem]
        if problems and not accepted:
            raise RefusedError(422, f"row 0: {problems[0]}")
        columns: Any = (golds, preds, question, choices)
        columns = (None if column is None else [column[i] for i in accepted] for column in columns)
        result = await self.reward.score_async(*columns)
        scored = iter(result.rows)
        missing = RewardRow(self.reward.unreadable, "unreadable", "gold", "", NO_MARK, "")
        merged = [missing._replace(reason=problem) if problem else next(scored) for problem in problems]
        result = RewardResult(tuple(merged), result.signature, result.seconds)
        self.counts.rows(result)
        return result


def build(
    reward: Reward, *, limits: Limits | None = None, token: str | None = None, gold: str = nemo_gym.GOLD
) -> Starlette:
    """Return the ASGI application. Requests at the same time share the batches of the metric.

    ``token``: what the header ``Authorization: Bearer`` has to contain, on all paths but ``/health``; None for any.
    ``gold``: the field of a request to ``/verify`` with the gold answer. Raise MissingExtraError if starlette is not
    installed. Raise ValueError if no header can contain the token.
    """
    try:
        from starlette.applications import Starlette
        from starlette.requests import ClientDisconnect
        from starlette.responses import PlainTextResponse, Response
        from starlette.routing import Route
    except ImportError as error:
        raise MissingExtraError("answersim serve", "serve", error.name or "starlette") from error

    async def verify(body: Mapping[str, Any], reward: Reward) -> dict[str, Any]:
        return await nemo_gym.verify(body, reward, gold)

    async def seed(body: Mapping[str, Any], reward: Reward) -> dict[str, Any]:
        return {}  # an agent of NeMo Gym begins a session; a verification has no state

    token = checked_token(token)
    budget = Budget(limits or Limits())
    counts = Counts(reward.signature, budget)
    limited: Any = _Limited(reward, counts, budget.limits.golds)

    def in_json(content: Any, status: int = 200) -> Response:
        return Response(json.dumps(content), status, media_type="application/json")  # in ASCII, so of any text

    def posted(answer: Answer) -> Callable[[Request], Awaitable[Response]]:
        async def handle(request: Request) -> Response:
            start = time.monotonic()
            with budget.request() as share:
                try:
                    _check_token(request, token)
                    body = await budget.read(request.stream(), share)
                    share.take_rows(body)
                    response = in_json(await answer(body, limited))
                except RefusedError as error:
                    response = in_json({"error": str(error)}, error.status)
                except (LookupError, TypeError, ValueError) as error:
                    response = in_json({"error": f"{error.args[0] if error.args else error}"}, 422)
                except ClientDisconnect:
                    response = Response(status_code=_LEFT)
                except Exception as error:  # of a metric; a caller gets the reason, and never a reward
                    response = in_json({"error": f"{type(error).__name__}: {error}"}, 500)
            counts.request(request.url.path, response.status_code, time.monotonic() - start)
            return response

        return handle

    async def health(request: Request) -> Response:
        return in_json({"status": "ok", "signature": reward.signature})

    async def metrics(request: Request) -> Response:
        try:
            _check_token(request, token)
        except RefusedError as error:
            return in_json({"error": str(error)}, error.status)
        return PlainTextResponse(counts.text(), media_type="text/plain; version=0.0.4")

    async def without_slash(request: Request) -> Response:
        path: str = request.scope["path"]
        return Response(status_code=307, headers={"location": path.rstrip("/")})  # on this host, whatever Host says

    paths = {"/score": score, "/reward": openrlhf.remote, "/verify": verify, "/seed_session": seed}
    routes = [Route(path, posted(answer), methods=["POST"]) for path, answer in paths.items()]
    routes += [Route(OPEN, health), Route("/metrics", metrics)]
    slashes = [Route(f"{route.path}/", without_slash, methods=["GET", "POST"]) for route in routes]
    app = Starlette(routes=[*routes, *slashes])
    app.router.redirect_slashes = False
    return app


def _check_token(request: Request, token: str | None) -> None:
    scheme, _, sent = request.headers.get("authorization", "").strip().partition(" ")
    right = scheme.lower() == "bearer" and hmac.compare_digest(sent.strip().encode(), (token or "").encode())
    if token is not None and not right:
        raise RefusedError(401, "the header Authorization: Bearer does not contain the token of this service")
