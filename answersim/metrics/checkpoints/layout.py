"""The names and shapes of the parameters of a model, without torch or transformers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Layout(NamedTuple):
    """The parameters of a model, by the names of transformers."""

    model: str  # the name of the class in transformers
    shapes: Mapping[str, tuple[int, ...]]  # the shape of each parameter
    linear: frozenset[str]  # the names of the linear layers, to which LoRA weights can be added

    @property
    def size(self) -> int:
        """The number of values in all parameters."""
        total = 0
        for shape in self.shapes.values():
            values = 1
            for length in shape:
                values *= length
            total += values
        return total
