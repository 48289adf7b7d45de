"""Commands for data, batch files of a judge, and rewards over HTTP."""

__all__ = ()
