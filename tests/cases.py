"""Large tables of cases as one test each: a case costs microseconds, and a test of pytest costs milliseconds."""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest


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
