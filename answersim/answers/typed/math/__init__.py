"""Formulas: LaTeX and plain notation, read and compared by rules; no other library is used."""

__all__: list[str] = []
