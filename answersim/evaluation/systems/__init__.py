"""How good is each system: counts of right, wrong, unsure and unattempted answers, with intervals."""

__all__ = ()
