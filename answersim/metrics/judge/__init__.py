"""A language model as a metric: requests over HTTP, a record of all replies, and replays of the record."""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from answersim.metrics.judge import client as client
    from answersim.metrics.judge import recorded as recorded
    from answersim.metrics.judge import settings as settings

__getattr__ = submodules(__name__, ["client", "recorded", "settings"])
