"""From scores to decisions: how good a system is, which of two is better, and how few labels suffice."""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from answersim.evaluation import agreement, comparison, data, doctor, labels, report, samples, systems

__all__ = ["agreement", "comparison", "data", "doctor", "labels", "report", "samples", "systems"]

if not TYPE_CHECKING:
    __getattr__ = submodules(__name__, __all__)
