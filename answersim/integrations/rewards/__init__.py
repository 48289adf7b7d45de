"""Rewards for training libraries: each passes completions and gold answers in its own form, and gets numbers back."""

__all__ = ()
