"""From a model name to a folder, its bytes and its token ids."""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from answersim.metrics.checkpoints import profiles as profiles
    from answersim.metrics.checkpoints import search as search

__getattr__ = submodules(__name__, ["adapter", "profiles", "search"])
