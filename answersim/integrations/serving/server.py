"""One process that serves rewards until it is stopped."""

from __future__ import annotations

import ctypes
import ipaddress
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

from answersim._base.errors import MissingExtraError, warn_user
from answersim.scoring.reward.reward import Reward

if TYPE_CHECKING:
    from starlette.applications import Starlette

_BACKLOG = 4096  # connections that wait to be accepted
_MOST = 8192  # open connections; a connection takes about 10 kB
_M_MMAP_THRESHOLD = -3  # of malloc.h of glibc
_BODY = 1 << 22  # bytes from which a block of memory goes back to the system as soon as it is free


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
    sending: float = 30.0,
    ready: Callable[[str], None] = lambda address: None,
) -> None:
    """Load the model, then answer requests until the process receives SIGTERM or SIGINT.

    The requests of connections that were accepted before are answered, and then the signal ends the process.
    ``has_token``: whether requests need a token. Without one, a warning names an address that others can reach.
    ``grace``: the seconds after the signal for requests that are not answered yet. ``sending``: the seconds in which a
    client has to send the head of a request. Raise MissingExtraError if uvicorn is not installed, or the extra of the
    metric. Raise CheckpointNotFoundError if the metric cannot be loaded, OSError if the port is in use.
    """
    try:
        import uvicorn

        from answersim.integrations.serving.connections import Connection, Server
    except ImportError as error:
        raise MissingExtraError("answersim serve", "serve", error.name or "uvicorn") from error
    address = f"http://{f'[{host}]' if ':' in host else host}"
    _allow_connections(_MOST)
    _return_large_blocks()
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family, backlog=_BACKLOG) as listening:
        # By the bound address: a name such as x.localhost may stand for any.
        if not has_token and not ipaddress.ip_address(listening.getsockname()[0]).is_loopback:
            problem = f"other machines can reach {host}; set ANSWERSIM_SERVE_TOKEN to demand a token"
            warn_user(OpenServiceWarning(problem))
        reward(["load", "words"], ["the network", "Sorry, it took a while. The tables of words, I hope?"])
        ready(f"{address}:{listening.getsockname()[1]}")
        protocol = type("TimedConnection", (Connection,), {"sending": sending})
        quiet = {"log_level": "warning", "access_log": False, "ws": "none", "http": protocol}
        config = uvicorn.Config(app, backlog=_BACKLOG, timeout_graceful_shutdown=grace, **quiet)
        Server(config).run(sockets=[listening])


def _allow_connections(most: int) -> None:
    """Raise the number of files that this process may open, as far as the system allows it."""
    try:
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        if soft < allowed:
            resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    except (ImportError, OSError, ValueError):  # Windows, or a system that refuses it
        return


def _return_large_blocks() -> None:
    """Let glibc return each large block of memory to the system when it is free.

    Otherwise, bodies leave holes between small blocks: 12 bodies of 24 MB took 350 MB above the service, not 200 MB.
    """
    try:
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, _BODY)
    except (AttributeError, OSError, TypeError):  # another C library
        return
