"""Metrics that compare words or characters, each in its file with what it states about itself; none needs weights."""

__all__ = ()
