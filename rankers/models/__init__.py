"""Published answer-selection systems, one per file."""

from answersim._base.runtime.concurrency import wait_passively

wait_passively()  # before a module of this package imports torch
