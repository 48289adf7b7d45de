"""A metric for programs that run a model on tasks: a scorer, an assertion or a function that their task files name."""

__all__ = ()
