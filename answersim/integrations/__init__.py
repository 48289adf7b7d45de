"""Metrics and rewards inside other libraries: one file per library, in a folder per kind of library."""

__all__ = ()
