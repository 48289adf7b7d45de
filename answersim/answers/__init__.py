"""The one reader of answers: ids, gold answers, predictions, questions and groups of a table or a log."""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from answersim.answers import extraction, logs, relation, tables, text, typed

__all__ = ["extraction", "logs", "relation", "tables", "text", "typed"]

__getattr__ = submodules(__name__, __all__)
