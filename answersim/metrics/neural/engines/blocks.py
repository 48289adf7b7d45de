"""Blocks of a pass on all cores, in threads of Python: those of OpenBLAS wait for each other in a busy loop."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache, partial
from importlib.util import find_spec
from typing import Any

import numpy as np


@lru_cache
def _blas() -> tuple[Any, int]:
    """Return what limits the threads of the BLAS, and their number before; None and 1 without threadpoolctl."""
    if find_spec("threadpoolctl") is None:
        return None, 1
    from threadpoolctl import ThreadpoolController

    control = ThreadpoolController().select(user_api="blas")
    return control, max((library["num_threads"] for library in control.info()), default=1)


class _Limit:
    """One thread of the BLAS for the passes that are running, in any thread."""

    def __init__(self) -> None:
        self._lock, self._inside, self._limited = threading.Lock(), 0, None

    @contextmanager
    def held(self, control: Any) -> Iterator[None]:
        with self._lock:
            if not self._inside:
                self._limited = control.limit(limits=1)
            self._inside += 1
        try:
            yield
        finally:
            with self._lock:
                self._inside -= 1
                if not self._inside and self._limited is not None:
                    self._limited.restore_original_limits()


_LIMIT = _Limit()


@contextmanager
def blocks() -> Iterator[Callable[[Callable[[Any], None], Iterable[Any]], object]]:
    """Yield what calls a function for each block, in any order, in as many threads as the BLAS would use."""
    control, threads = _blas()
    if threads == 1:
        yield lambda function, parts: deque(map(function, parts), maxlen=0)
        return
    # A thread does not inherit the state of numpy, in which an overflow is no warning.
    quiet = partial(np.seterr, over="ignore", invalid="ignore")
    with _LIMIT.held(control), ThreadPoolExecutor(threads, initializer=quiet) as pool:
        yield lambda function, parts: deque(pool.map(function, parts), maxlen=0)
