"""Metrics that are made of other metrics: the learned ensemble, rules for values, and final answers."""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from answersim.metrics.composite import ensemble, extracted, typed

__all__ = ["ensemble", "extracted", "typed"]

if not TYPE_CHECKING:
    __getattr__ = submodules(__name__, __all__)
