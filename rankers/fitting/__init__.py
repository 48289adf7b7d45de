"""From a name and training questions to a trained ranker, and from that to a published one."""

from answersim._base.runtime.concurrency import wait_passively

wait_passively()  # before a module of this package imports torch
