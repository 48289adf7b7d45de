"""The progress bar: shown on a terminal while work is long, off wherever it was switched off."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tqdm import tqdm

_allowed: ContextVar[bool] = ContextVar("answersim_progress", default=False)


@contextmanager
def progress(allowed: bool) -> Iterator[None]:
    """Within it, bars may be shown; without it, or with False, there are none."""
    token = _allowed.set(allowed)
    try:
        yield
    finally:
        _allowed.reset(token)


def bar(total: int, label: str, unit: str) -> tqdm[Any]:
    """A bar on stderr for this much work; silent where bars are not allowed or stderr is no terminal."""
    from tqdm import tqdm

    # disable=None is tqdm's own way to say: only on a terminal. delay spares short work the flicker.
    return tqdm(total=total, desc=label, unit=unit, leave=False, delay=0.5, disable=None if _allowed.get() else True)
