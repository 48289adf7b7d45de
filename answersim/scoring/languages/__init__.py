"""The languages of answers: as given or guessed, one metric for each, and a warning if they are not English."""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from answersim.scoring.languages import by_language as by_language
    from answersim.scoring.languages import english as english
    from answersim.scoring.languages import table_language as table_language

__getattr__ = submodules(__name__, ["by_language", "english", "table_language"])
