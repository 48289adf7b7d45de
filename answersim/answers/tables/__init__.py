"""Answers in: ids, gold answers, predictions, questions and groups of a table or a log, read once."""

__all__ = ()
