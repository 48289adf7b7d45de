"""Pairs with human labels: the three sets of the paper, the probe of this project, and how to fetch them."""

from typing import Any

from answersim.data.datasets import DatasetNotFoundError, about, load, names, present
from answersim.data.labeled import LabeledPairs, read_pairs

__all__ = ["DatasetNotFoundError", "LabeledPairs", "about", "load", "names", "present", "read_pairs"]


def __getattr__(name: str) -> Any:
    if name == "LabelledPairs":
        from answersim.errors import warn_user

        warn_user(FutureWarning("answersim.data.LabelledPairs is called LabeledPairs now"))
        return LabeledPairs
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
