"""Many samples of one question: which answers mean the same, and what follows from that."""

__all__ = ()
