"""Every named metric, its options, and plug-ins."""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from answersim.metrics.catalog import plugged as plugged
    from answersim.metrics.catalog.lookup import DEFAULT_METRIC, aliases_of, entry, metric, names, release, remote_names

__all__ = ["DEFAULT_METRIC", "aliases_of", "entry", "metric", "names", "release", "remote_names"]

if not TYPE_CHECKING:
    __getattr__ = submodules(__name__, ["lookup", "plugged"], dict.fromkeys(__all__, "lookup"))
