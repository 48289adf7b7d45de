"""Pairs with human labels: the three sets of the paper, the probe of this project, and how to fetch them."""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from answersim.evaluation.data.datasets import DatasetNotFoundError, about, load, names, present
    from answersim.evaluation.data.labeled import LabeledPairs, read_pairs

__all__ = ["DatasetNotFoundError", "LabeledPairs", "about", "load", "names", "present", "read_pairs"]

if not TYPE_CHECKING:
    __getattr__ = submodules(
        __name__,
        [],
        dict.fromkeys(("DatasetNotFoundError", "about", "load", "names", "present"), "datasets")
        | dict.fromkeys(("LabeledPairs", "read_pairs"), "labeled"),
    )
