"""Estimates of a mean or a share from few labels, with the help of scores or imperfect verdicts on all rows."""

__all__ = ()
