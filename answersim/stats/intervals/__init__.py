"""Intervals and tests of a number, a mean or a difference: by the bootstrap, by permutation, or by a formula."""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from answersim.stats.intervals import score_mean

__all__ = ["score_mean"]

if not TYPE_CHECKING:
    __getattr__ = submodules(__name__, __all__)
