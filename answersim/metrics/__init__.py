"""Answers in, numbers out: every metric, the catalog that names them, and the weights that they read."""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from answersim.metrics import catalog, checkpoints, composite, judge, lexical, neural, official, testing
    from answersim.metrics import planning as planning

__all__ = ["catalog", "checkpoints", "composite", "judge", "lexical", "neural", "official", "testing"]

if not TYPE_CHECKING:
    __getattr__ = submodules(__name__, [*__all__, "planning"])
