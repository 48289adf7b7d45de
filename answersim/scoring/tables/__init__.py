"""Scores and verdicts of the rows of a table, and the batch files for a judge of them."""

__all__ = ()
