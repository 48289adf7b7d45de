"""Tables from files and into files: the format and encoding are detected, and an output is never written partially."""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from answersim._base.io import files

__all__ = ["files"]

if not TYPE_CHECKING:
    __getattr__ = submodules(__name__, __all__)
