"""Every named system: its settings, and from a name and training questions to a trained and a published ranker."""

from answersim._base.runtime.concurrency import wait_passively

wait_passively()  # before a module of this package imports torch
