"""What a scanner of typed values reads, if it reads a text to its end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from answersim.answers.typed.localized import localized
from answersim.answers.typed.tokens import fold

Value = TypeVar("Value")


def whole(scan: Callable[..., tuple[Value, int] | None], text: str, *lang: Any) -> Value | None:
    """Return the value that the scanner finds at the beginning, or None if it ends before the text."""
    outcome = localized(fold(text), *(lang or ("en",)))
    result = scan(outcome, 0, *lang)
    return result[0] if result and result[1] == len(outcome.low) else None
