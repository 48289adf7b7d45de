"""Pairs with human labels: the paper's three sets, our own probe, and how to get them."""

from answersim.data.datasets import DatasetNotFoundError, about, load, names, present
from answersim.data.labeled import LabeledPairs, read_pairs

__all__ = ["DatasetNotFoundError", "LabeledPairs", "about", "load", "names", "present", "read_pairs"]
