"""Which of two systems is better: paired differences, several systems, and gates."""

__all__ = ()
