"""How far metrics agree with human labels: the correlation study, its coefficients and its tables."""

from answersim.evaluation.agreement.coefficients.rows import Comparison, Group, Measured, Row, Subset
from answersim.evaluation.agreement.results import Agreement
from answersim.evaluation.agreement.study import correlate

__all__ = ["Agreement", "Comparison", "Group", "Measured", "Row", "Subset", "correlate"]
