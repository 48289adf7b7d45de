"""The one reader of answers: ids, gold answers, predictions, questions and groups of a table or a log."""

from typing import TYPE_CHECKING

from answersim._base.lazy import submodules

if TYPE_CHECKING:
    from answersim.answers import extraction, logs, relation, tables, typed
    from answersim.answers import markup as markup
    from answersim.answers import text_language as text_language

__all__ = ["extraction", "logs", "relation", "tables", "typed"]

__getattr__ = submodules(__name__, [*__all__, "markup", "text_language"])
