"""Encoders of texts and pairs, and the metrics that use them."""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from answersim.metrics.neural import encoders, engines

__all__ = ["encoders", "engines"]

if not TYPE_CHECKING:
    __getattr__ = submodules(__name__, __all__)
