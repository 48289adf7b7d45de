"""Calls that begin together in threads, and the functions of this package that a call makes."""

import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FrameType
from typing import Any

import answersim


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


def calls_between_files(work: Callable[[], object]) -> list[tuple[str, str]]:
    """The functions of this package that the work enters from another file: the names of file and function."""
    return [(file, function) for file, function, from_outside in calls(work) if from_outside]


def calls(work: Callable[[], object]) -> list[tuple[str, str, bool]]:
    """The functions of this package that the work calls: file, function, and whether the caller is in another file."""
    results: list[tuple[str, str, bool]] = []
    package = str(Path(answersim.__file__).parent)

    def profile(frame: FrameType, event: str, argument: object) -> None:
        caller, code = frame.f_back, frame.f_code
        from_outside = caller is None or caller.f_code.co_filename != code.co_filename
        if event == "call" and code.co_filename.startswith(package):
            results.append((Path(code.co_filename).name, code.co_name, from_outside))

    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
    return results
