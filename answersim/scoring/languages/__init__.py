"""The languages of answers: as given or guessed, one metric for each, and a warning if they are not English."""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from answersim.scoring.languages import by_language, english, table_language

__all__ = ["by_language", "english", "table_language"]

if not TYPE_CHECKING:
    __getattr__ = submodules(__name__, __all__)
