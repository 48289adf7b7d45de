"""The exceptions of an owner's code, as values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# What the scripts raise for input that they do not check.
OWNERS = (AssertionError, AttributeError, IndexError, TypeError, ValueError, ZeroDivisionError)


def or_raises(compute: Callable[..., Any], *arguments: Any, **fields: Any) -> Any:
    """Return what a function returns, or ``{"raises": NAME}`` with the name of the exception of the owner's code.

    >>> or_raises(max, []), or_raises(max, [1])
    ({'raises': 'ValueError'}, 1)
    """
    try:
        return compute(*arguments, **fields)
    except OWNERS as error:
        return {"raises": type(error).__name__}
