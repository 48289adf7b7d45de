"""Scores of texts and of files of any size: see ``score``, ``streaming`` and ``cache``."""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from answersim.scoring import by_language as by_language
    from answersim.scoring import cache as cache
    from answersim.scoring import english as english
    from answersim.scoring import gold_forms as gold_forms
    from answersim.scoring import metrics as metrics
    from answersim.scoring import pairs as pairs
    from answersim.scoring import reward as reward
    from answersim.scoring import table_language as table_language

__getattr__ = submodules(
    __name__, ["by_language", "cache", "english", "gold_forms", "metrics", "pairs", "reward", "table_language"]
)
