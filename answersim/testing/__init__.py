"""Checks for authors of metrics."""

from answersim.testing.check import check_metric

__all__ = ["check_metric"]
