"""A metric for libraries that train models or build pipelines: it measures what they have made, while they run."""

__all__ = ()
