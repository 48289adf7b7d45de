"""Checks for authors of metrics."""

from answersim.metrics.testing.check import check_metric

__all__ = ["check_metric"]
