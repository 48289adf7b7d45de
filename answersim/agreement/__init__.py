"""The correlation study of metrics and human labels."""

from answersim.agreement.results import Agreement
from answersim.agreement.rows import Comparison, Group, Measured, Row, Subset
from answersim.agreement.study import correlate

__all__ = ["Agreement", "Comparison", "Group", "Measured", "Row", "Subset", "correlate"]
