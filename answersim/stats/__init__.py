"""Statistics on arrays, independent of answers and metrics."""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from answersim.stats import score_mean as score_mean

__getattr__ = submodules(__name__, ["score_mean"])
