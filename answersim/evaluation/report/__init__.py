"""Reports: figures, and self-contained HTML pages. They need the extra ``report``."""

__all__ = ()
