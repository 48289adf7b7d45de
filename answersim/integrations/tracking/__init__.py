"""A metric for platforms that record experiments: they store its score, verdict, reason and signature."""

__all__ = ()
