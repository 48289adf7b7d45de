"""Pairs with human labels: the paper's three sets, our own probe, and how to get them."""

from answersim.data.datasets import DatasetNotFoundError, about, load, names, present
from answersim.data.labelled import LabelledPairs, read_pairs

__all__ = ["DatasetNotFoundError", "LabelledPairs", "about", "load", "names", "present", "read_pairs"]
