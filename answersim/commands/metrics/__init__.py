"""Commands that choose a metric, describe one, or score as benchmarks do."""

__all__ = ()
