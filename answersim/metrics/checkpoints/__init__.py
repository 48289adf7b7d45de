"""From a model name to a folder, its bytes and its token ids."""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from answersim.metrics.checkpoints import profiles, search

__all__ = ["profiles", "search"]

__getattr__ = submodules(__name__, [*__all__, "adapter"])  # a type checker would follow it to torch
