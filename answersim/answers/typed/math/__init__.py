"""Formulas: LaTeX and plain notation, read and compared by rules; no other library is used."""

from answersim.answers.typed.math.formula import is_mathematical

__all__ = ["is_mathematical"]
