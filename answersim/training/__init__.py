"""answersim train: from tables and judged answers to pairs, from pairs to small models, and a report of changes."""

from answersim._base.runtime.concurrency import wait_passively

__all__ = ()

wait_passively()  # before a module of this package imports torch
