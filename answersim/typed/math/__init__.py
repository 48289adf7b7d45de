"""Formulas: LaTeX and plain notation, read and compared by rules; no other library is used."""

from answersim.typed.math.formula import (
    Formula,
    Options,
    compare_formulas,
    formula_of_number,
    is_mathematical,
    read_formula,
)

__all__ = ["Formula", "Options", "compare_formulas", "formula_of_number", "is_mathematical", "read_formula"]
