"""Metrics and rewards inside other libraries: one file per library, in a folder per kind of library.

What all have in common: ``metric`` is a name or a metric, as in ``answersim.score``, and ``name`` is its name in the
library, by default that of the metric. ``settings`` are further ones of ``Scorer``, or of the class that a docstring
names. They are checked at once, and nothing is loaded before the first score. Errors are those of ``Scorer``, and
MissingExtraError if the library cannot be imported.
"""

__all__ = ()
