"""Locks, threads, progress bars, errors of the command line and the state of trainings."""

__all__ = ()
