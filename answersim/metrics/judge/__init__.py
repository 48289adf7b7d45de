"""A language model as a metric: requests over HTTP, a record of all replies, and replays of the record."""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from answersim.metrics.judge import client, recorded, settings

__all__ = ["client", "recorded", "settings"]

if not TYPE_CHECKING:
    __getattr__ = submodules(__name__, __all__)
