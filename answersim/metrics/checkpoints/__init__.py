"""From a model name to a folder, its bytes and its token ids."""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from answersim.metrics.checkpoints import profiles, search

__all__ = ["profiles", "search"]

if not TYPE_CHECKING:
    __getattr__ = submodules(__name__, __all__)
