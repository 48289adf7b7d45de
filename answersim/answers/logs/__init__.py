"""Answers that other tools have recorded: one file per tool, from its log to rows of question, gold and pred."""

__all__ = ()
