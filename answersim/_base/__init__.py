"""What every room stands on: errors, checks of arguments, signatures, tables as text, files, locks and progress."""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from answersim._base import text_tables

__all__ = ["text_tables"]

if not TYPE_CHECKING:
    __getattr__ = submodules(__name__, __all__)
