"""Statistics on arrays, independent of answers and metrics."""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from answersim.stats import intervals

__all__ = ["intervals"]

if not TYPE_CHECKING:
    __getattr__ = submodules(__name__, __all__)
