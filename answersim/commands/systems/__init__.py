"""Commands that evaluate systems: one, several side by side, or many samples per question."""

__all__ = ()
