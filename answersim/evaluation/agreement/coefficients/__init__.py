"""The rows of a study: coefficients with intervals, differences between metrics, and the order of systems."""

__all__ = ()
