"""What the files of all libraries share: texts in their rows, completions, and value, verdict and reason of a row."""

__all__ = ()
