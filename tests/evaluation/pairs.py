"""Two columns of values as a comparison of systems A and B."""

from __future__ import annotations

from typing import Any

from answersim.evaluation.compare import compare_all
from answersim.evaluation.comparison import Comparison


def compare(
    a: Any, b: Any, *, labels: tuple[Any, Any] | None = None, names: tuple[str, str] = ("A", "B"), **settings: Any
) -> Comparison:
    """Return the comparison."""
    given = None if labels is None else dict(zip(names, labels, strict=True))
    return compare_all({names[0]: a, names[1]: b}, labels=given, **settings).pair
