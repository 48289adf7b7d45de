"""Few human labels: which answers to label, how many, and what they say about all others."""

__all__ = ()
