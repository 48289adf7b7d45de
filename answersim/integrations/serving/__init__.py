"""Rewards over HTTP: one process that many trainers and rollouts share."""

__all__ = ()
