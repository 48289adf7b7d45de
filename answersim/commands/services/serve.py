"""``answersim serve``: rewards over HTTP, for trainers that call a service."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer

from answersim._base.arguments import number_or_text
from answersim._base.errors import unknown
from answersim._base.runtime.option_groups import Use, command
from answersim.commands import options
from answersim.integrations.serving.app import build, checked_token
from answersim.integrations.serving.budget import Limits
from answersim.integrations.serving.server import serve as run_service
from answersim.scoring.reward.reward import Reward

TOKEN = "ANSWERSIM_SERVE_TOKEN"
DEFAULT = "answersim"  # the metric after the rules


@command
def serve(
    scoring: Annotated[
        options.Scoring,
        Use(
            "metric lang profile option extract device",
            defaults={"extract": "auto", "lang": "en"},
            metric="The word rules is for the rules alone. A metric that is named decides without the rules.",
        ),
    ],
    host: Annotated[str, "The address. 127.0.0.1 is reached from this machine only."] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port. 0 chooses a free one.")] = 8000,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=NUMBER",
            help="A limit; may be repeated. seconds=5 for each started 100 rows, later rows are undecided. "
            "body=32000000 bytes, rows=16384 and sending=30 seconds of a request. golds=1000 of a row. waiting=131072 "
            "rows and memory=200000000 bytes of all requests without an answer. grace=30 seconds for accepted requests "
            "after a signal.",
        ),
    ] = None,
    least: Annotated[float, "The probability from which the metric after the rules gives 1."] = 0.9,
    gold_field: Annotated[
        str, "The field of a request to /verify (NeMo Gym) with the gold answer."
    ] = "expected_answer",
) -> None:
    """Serve rewards over HTTP.

    The paths are /score, /reward (OpenRLHF), /verify (NeMo Gym), /metrics (Prometheus) and /health.

    If $ANSWERSIM_SERVE_TOKEN is set, requests need it in the header Authorization: Bearer. SIGTERM ends the service
    after the accepted requests.
    """
    token = checked_token(os.environ.get(TOKEN) or None)
    limits = _limits(limit or (), Limits())
    name = scoring.one()
    names = [] if name == "rules" else [name or DEFAULT]
    settings = scoring.settings([name or DEFAULT])
    networks = scoring.networks_of(names, settings)
    reward = Reward(
        name,
        extract=scoring.extract,
        limit=limits.pop("seconds"),
        least=least,
        lang=scoring.place["lang"] or "en",
        profile=scoring.profile,
        options={**settings, **networks.get(name or DEFAULT, {})},
    )
    grace = limits.pop("grace")
    app = build(reward, limits=Limits(**limits), token=token, gold=gold_field)
    run_service(
        app,
        reward,
        host=host,
        port=port,
        has_token=token is not None,
        grace=grace,
        sending=limits["sending"],
        ready=lambda address: typer.echo(f"{reward.signature}\nserving on {address}"),
    )


def _limits(texts: Sequence[str], usual: Limits) -> dict[str, Any]:
    """Return all limits, with those that are given as NAME=NUMBER."""
    limits: dict[str, Any] = {"seconds": 5.0, "grace": 30, **asdict(usual)}
    for text in texts:
        name, _, value = text.partition("=")
        if name not in limits:
            raise unknown("limit", name, tuple(limits))
        number = number_or_text(value)
        if not isinstance(number, (int, float) if isinstance(limits[name], float) else int):
            raise ValueError(f"--limit {text!r} is not a number; write {name}={limits[name]:g}")
        if number < 0:
            raise ValueError(f"--limit {text!r} is below 0, but a limit is at least 0")
        limits[name] = number
    return limits
