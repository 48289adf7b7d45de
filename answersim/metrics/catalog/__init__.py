"""Every named metric, its options, and plug-ins."""

from answersim.metrics.catalog.lookup import (
    DEFAULT_METRIC,
    Entry,
    aliases_of,
    entry,
    metric,
    names,
    release,
    remote_names,
)

__all__ = ["DEFAULT_METRIC", "Entry", "aliases_of", "entry", "metric", "names", "release", "remote_names"]
