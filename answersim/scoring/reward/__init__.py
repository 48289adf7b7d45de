"""Rewards for training: does a completion give the gold answer, without a silent zero?"""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from answersim.scoring.reward import reward

__all__ = ["reward"]

if not TYPE_CHECKING:
    __getattr__ = submodules(__name__, __all__)
