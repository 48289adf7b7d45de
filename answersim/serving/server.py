"""One process that serves rewards until it is stopped."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

from answersim.errors import MissingExtraError, warn_user
from answersim.reward.reward import Reward

if TYPE_CHECKING:
    from starlette.applications import Starlette

_BACKLOG = 4096  # connections that wait to be accepted


class OpenServiceWarning(UserWarning):
    """The service can be reached from other machines without a token."""


def serve(
    app: Starlette,
    reward: Reward,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    has_token: bool = False,
    grace: int = 30,
    ready: Callable[[str], None] = lambda address: None,
) -> None:
    """Load the model, then answer requests until the process receives SIGTERM or SIGINT.

    The requests that were accepted before are answered, and then the signal ends the process. ``has_token``: whether
    requests need a token. Without one, a warning names an address that others can reach. ``grace``: the seconds after
    the signal for requests that are not answered yet. Raise MissingExtraError if uvicorn is not installed, or the extra
    of the metric. Raise CheckpointNotFoundError if the metric cannot be loaded, OSError if the port is in use.
    """
    try:
        import uvicorn
    except ImportError as error:
        raise MissingExtraError("answersim serve", "serve", error.name or "uvicorn") from error
    if not has_token and not _is_local(host):
        warn_user(OpenServiceWarning(f"other machines can reach {host}; set ANSWERSIM_SERVE_TOKEN to demand a token"))
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family, backlog=_BACKLOG) as listening:
        reward(["load"], ["the network"])
        ready(f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}")
        quiet = {"log_level": "warning", "access_log": False}
        config = uvicorn.Config(app, backlog=_BACKLOG, timeout_graceful_shutdown=grace, **quiet)
        uvicorn.Server(config).run(sockets=[listening])


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
