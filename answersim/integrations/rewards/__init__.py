"""Rewards for training libraries: each passes completions and gold answers in its own form, and gets numbers back.

``reward`` is a reward, or None for one with the ``settings``, which are those of ``Reward``. They are checked at once,
and nothing is loaded before the first batch. ``unreadable`` is 0 by default for a library that accepts no None.
``name`` is the name in the log.
"""

__all__ = ()
