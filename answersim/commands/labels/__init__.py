"""Commands that use human labels: draw rows to label, and learn from labels what scores mean."""

__all__ = ()
