"""From scores to probabilities and decisions: rising curves, how far probabilities are off, and thresholds."""

__all__ = ()
