"""Calls in several threads that begin together."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def in_threads(calls: Sequence[Callable[[], Any]], threads: int = 8) -> list[Any]:
    """What all calls give, by so many threads that begin together."""
    start = threading.Barrier(threads)
    result: list[Any] = [None] * len(calls)

    def work(first: int) -> None:
        start.wait()
        for i in range(first, len(calls), threads):
            result[i] = calls[i]()

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, range(threads)))
    return result
