"""Two columns of values as a comparison of systems A and B."""

from __future__ import annotations

from typing import Any

from answersim.evaluation.compare import compare_all
from answersim.evaluation.comparison import Comparison


def compare(
    a: Any,
    b: Any,
    *,
    labels: tuple[Any, Any] | None = None,
    inclusion: Any = None,
    strata: Any = None,
    names: tuple[str, str] = ("A", "B"),
    **settings: Any,
) -> Comparison:
    """Return the comparison; inclusion and strata are of the questions, or a tuple of those of each system."""
    return compare_all(
        {names[0]: a, names[1]: b},
        labels=None if labels is None else dict(zip(names, labels, strict=True)),
        inclusion=_by_name(names, inclusion),
        strata=_by_name(names, strata),
        **settings,
    ).pair


def _by_name(names: tuple[str, str], values: Any) -> dict[str, Any]:
    both = values if isinstance(values, tuple) else (values, None)
    return {name: one for name, one in zip(names, both, strict=True) if one is not None}
