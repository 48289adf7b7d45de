"""What an answer says: rows of tables and logs, texts as read, final answers, typed values, and how two relate."""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from answersim.answers import extraction, logs, relation, tables, text, typed

__all__ = ["extraction", "logs", "relation", "tables", "text", "typed"]

if not TYPE_CHECKING:
    __getattr__ = submodules(__name__, __all__)
