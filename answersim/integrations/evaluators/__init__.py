"""A metric for libraries that score recorded answers: it takes a question, gold answers and a prediction of theirs."""

__all__ = ()
