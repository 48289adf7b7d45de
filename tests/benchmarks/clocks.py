"""A clock that only programs move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Clock:
    """The time in seconds, and the calls of its programs."""

    def __init__(self) -> None:
        self.now = 0.0
        self.calls: list[tuple[Any, ...]] = []

    def __call__(self) -> float:
        return self.now

    def program(self, result: Any, *seconds: float, name: str = "") -> Callable[..., Any]:
        """Return a program that gives this result and takes so long, call by call."""
        left = list(seconds)

        def run(*arguments: Any) -> Any:
            self.calls.append((name, *arguments))
            self.now += left.pop(0)
            return result

        return run
