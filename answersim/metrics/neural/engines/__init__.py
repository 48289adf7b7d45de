"""How a network runs: the choice between torch and numpy, and the forward pass in numpy."""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from answersim.metrics.neural.engines import choice

__all__ = ["choice"]

if not TYPE_CHECKING:
    __getattr__ = submodules(__name__, __all__)
