"""The progress bar: shown on a terminal or in a notebook during long work, unless it is switched off."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from threading import RLock
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from tqdm import tqdm

_allowed: ContextVar[bool] = ContextVar("answersim_progress", default=False)


@contextmanager
def progress(allowed: bool) -> Iterator[None]:
    """Allow bars inside the block. Outside, or with False, none are shown."""
    token = _allowed.set(allowed)
    try:
        yield
    finally:
        _allowed.reset(token)


@dataclass
class Bar:
    """The interface of a progress bar, and a bar that is not shown."""

    total: float | None  # the whole amount of work, or None if it is unknown
    n: float = 0  # the amount of work that is done

    def update(self, n: float = 1) -> None:
        """Add this amount to the work that is done."""
        self.n += n

    def close(self) -> None:
        """Remove the bar."""

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def bar(total: int, label: str, unit: str) -> Bar:
    """Return a bar on stderr for this amount of work, or a silent one if bars are not allowed or stderr is not seen.

    stderr is seen if it is a terminal, or belongs to a notebook, which has a widget if ipywidgets is installed. A bar
    of tqdm takes a lock that all forked processes share. A worker that is killed while it holds the lock blocks all
    others forever, so a silent bar does not use tqdm, and the other bars have a lock per process.
    """
    if not _allowed.get() or sys.stderr is None:
        return Bar(total)
    kernel: Any = getattr(sys.modules.get("ipykernel.iostream"), "OutStream", None)  # which is not imported here
    in_notebook = kernel is not None and isinstance(sys.stderr, kernel)
    if not in_notebook and not sys.stderr.isatty():
        return Bar(total)
    new_bar = _tqdm(in_notebook and find_spec("ipywidgets") is not None)(
        total=total, desc=label, unit=unit, leave=False, delay=0.5
    )  # with the delay, no bar flickers during short work
    return cast("Bar", new_bar)


@cache
def _tqdm(as_widget: bool) -> type[tqdm[Any]]:
    base: Any
    if as_widget:
        from tqdm.notebook import tqdm as base
    else:
        from tqdm import tqdm as base

    class ThreadLocked(base):  # type: ignore[misc] # one of two classes
        _lock = RLock()
        monitor_interval = 0  # the thread would only redraw a bar without progress

    return ThreadLocked


if hasattr(os, "register_at_fork"):  # another thread may hold the lock when the process forks
    os.register_at_fork(after_in_child=_tqdm.cache_clear)
