"""Scores of texts and of tables, computed or from the store of scores, and rewards for trainings."""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from answersim.scoring import cache, gold_forms, languages, metrics, pairs, reward

__all__ = ["cache", "gold_forms", "languages", "metrics", "pairs", "reward"]

if not TYPE_CHECKING:
    __getattr__ = submodules(__name__, __all__)
