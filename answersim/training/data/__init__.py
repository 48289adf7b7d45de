"""Builders of training pairs: names, aliases, numbers, dates, WordNet, graded answers, labels of a teacher."""

__all__ = ()
