"""Tables read whole or in pieces, formats that are detected, and the results of unfinished files."""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from answersim._base.io import files as files

__getattr__ = submodules(__name__, ["files"])
