"""Coefficients of two columns: correlation, order, ties, area under the curve, and agreement on yes and no."""

__all__ = ()
