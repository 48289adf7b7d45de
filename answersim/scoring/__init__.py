"""Scores of texts and of tables, computed or from the store of scores, and rewards for trainings."""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from answersim.scoring import cache as cache
    from answersim.scoring import gold_forms as gold_forms
    from answersim.scoring import languages as languages
    from answersim.scoring import metrics as metrics
    from answersim.scoring import pairs as pairs
    from answersim.scoring import reward as reward

__getattr__ = submodules(__name__, ["cache", "gold_forms", "languages", "metrics", "pairs", "reward"])
