"""Pairs with human labels: the three sets of the paper, the probe of this project, and how to fetch them."""

from answersim.evaluation.data.datasets import DatasetNotFoundError, about, load, names, present
from answersim.evaluation.data.labeled import LabeledPairs, read_pairs

__all__ = ["DatasetNotFoundError", "LabeledPairs", "about", "load", "names", "present", "read_pairs"]
