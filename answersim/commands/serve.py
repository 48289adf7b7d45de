"""``answersim serve``: rewards over HTTP, for trainers that call a service."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from answersim.commands import options
from answersim.runtime.option_groups import Use, command

TOKEN = "ANSWERSIM_SERVE_TOKEN"
DEFAULT = "answersim"  # the metric after the rules


@command
def serve(
    scoring: Annotated[
        options.Scoring,
        Use(
            "metric lang profile option extract device precision batch_tokens",
            defaults={"extract": "auto"},
            metric="The word rules is for the rules alone. A metric that is named decides without the rules.",
        ),
    ],
    host: Annotated[str, "The address. 127.0.0.1 is reached from this machine only."] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port. 0 chooses a free one.")] = 8000,
    limit: Annotated[float, "The seconds for each started 100 rows; later rows are undecided."] = 5.0,
    least: Annotated[float, "The probability from which the metric after the rules gives 1."] = 0.9,
    gold_field: Annotated[
        str, "The field of a request to /verify (NeMo Gym) with the gold answer."
    ] = "expected_answer",
    max_body: Annotated[int, typer.Option(min=1, help="The bytes of a request.")] = 64_000_000,
    max_rows: Annotated[int, typer.Option(min=1, help="The rows of a request.")] = 16_384,
    max_waiting: Annotated[int, typer.Option(min=1, help="The rows of all requests without an answer.")] = 131_072,
    grace: Annotated[int, typer.Option(min=0, help="The seconds for accepted requests after a signal.")] = 30,
) -> None:
    """Serve rewards over HTTP.

    The paths are /score, /reward (OpenRLHF), /verify (NeMo Gym), /metrics (Prometheus) and /health.

    If $ANSWERSIM_SERVE_TOKEN is set, requests need it in the header Authorization: Bearer. SIGTERM ends the service
    after the accepted requests.
    """
    from answersim.reward.reward import Reward
    from answersim.serving.app import Limits, build
    from answersim.serving.server import serve as run_service

    name = scoring.one()
    names = [] if name == "rules" else [name or DEFAULT]
    settings = scoring.settings([name or DEFAULT])
    networks = scoring.networks_of(names, settings)
    reward = Reward(
        name,
        extract=scoring.extract,
        limit=limit,
        least=least,
        lang=scoring.lang or "en",
        profile=scoring.profile,
        options={**settings, **networks.get(name or DEFAULT, {})},
    )
    token = os.environ.get(TOKEN) or None
    app = build(reward, limits=Limits(max_body, max_rows, max_waiting), token=token, gold=gold_field)
    run_service(
        app,
        reward,
        host=host,
        port=port,
        has_token=token is not None,
        grace=grace,
        ready=lambda address: typer.echo(f"{reward.signature}\nserving on {address}"),
    )
