"""Large tables of cases as one test each, calls in threads, and the functions of this package that a call makes.

A case costs microseconds, and a test of pytest costs milliseconds.
"""

import functools
import inspect
import json
import os
import re
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import answersim


def every(names: str | tuple[str, ...], cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test on all cases, and list each case that fails. The arguments are those of ``pytest.mark.parametrize``.

    It is for pure functions: all cases share the fixtures of one test.
    """
    parameters = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    cases = list(cases)
    assert not any(hasattr(case, "marks") for case in cases), "a case has no marks: use pytest.mark.parametrize"
    rows = [(case,) if len(parameters) == 1 and isinstance(names, str) else tuple(case) for case in cases]
    assert rows, f"there is no case of {', '.join(parameters)}"

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def run(**others: Any) -> None:
            failures = []
            for row in rows:
                try:
                    test(**dict(zip(parameters, row, strict=True)), **others)
                except (Exception, pytest.fail.Exception) as error:
                    failures.append((row, error))
            if failures:
                listed = "\n".join(f"{row!r}: {type(error).__name__}: {error}" for row, error in failures)
                pytest.fail(f"{len(failures)} of {len(rows)} cases fail:\n{listed}")

        signature = inspect.signature(test)
        left = [parameter for name, parameter in signature.parameters.items() if name not in parameters]
        run.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined] # what pytest fills in
        return run

    return decorate


def before(distribution: str, version: str, fault: str) -> pytest.MarkDecorator:
    """Skip a test with an older version of a library, which does something else: ``fault``."""
    held = [*map(int, re.findall(r"\d+", metadata.version(distribution))[:2])]
    is_older = held < [*map(int, version.split("."))]
    return pytest.mark.skipif(is_older, reason=f"{distribution} before {version} {fault}")


def cases_of(test: str) -> dict[str, Any]:
    """Return the tables of cases of a test file by name: they are in the JSON file beside it, one case per line.

    Args:
        test: The path of the test file.
    """
    loaded: dict[str, Any] = json.loads(Path(test).with_suffix(".json").read_text(encoding="utf-8"))
    return loaded


def as_listed(file: Path, lines: Iterable[str]) -> None:
    """Require the lines of a file. ``ANSWERSIM_GOLDEN=write`` renews it, and its git diff has each change."""
    now = [line.replace("\n", "\\n") for line in lines]
    if os.environ.get("ANSWERSIM_GOLDEN") == "write":
        file.write_text("".join(f"{line}\n" for line in now), encoding="utf-8")
    assert now == file.read_text(encoding="utf-8").split("\n")[:-1]


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
