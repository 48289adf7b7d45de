"""The metric ``math-verify``: Math-Verify in a process that is killed at its limit. The module is that process too."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from answersim.errors import MissingExtraError, warn_user
from answersim.runtime.line_process import LineProcess, serve
from answersim.signature import computed_once, signature
from answersim.typed import latex_equality
from answersim.types import Capabilities, FloatArray, Metric, Pair

NAME = "math-verify"
REVISION = 1  # raise it when a number changes; it is signed
SECONDS = 5.0  # the limit of math-verify itself; a slower comparison is "different"
_PROCESS = LineProcess("answersim.typed.math_verify", SECONDS)
_EQUAL, _DIFFERENT, _UNREADABLE = "1", "0", "?"


@lru_cache(maxsize=1)
def check_installed() -> str:
    """Return the versions of math-verify and sympy. Raise MissingExtraError unless the extra "math" is installed."""
    sympy = latex_equality.check_installed()
    try:
        return f"{version(NAME)}+sympy{sympy}"
    except PackageNotFoundError:
        raise MissingExtraError("the metric math-verify", "math", NAME) from None


@dataclass(frozen=True)
class MathVerify:
    """1.0 if math-verify calls two answers equal, else 0.0, also after five seconds.

    It works on any thread, because the limit is that of a process. Both answers are read in dollar signs, or as they
    are if that is not read.

    Source: math-verify (Kydlíček 2025).
    """

    version: str

    @computed_once
    def signature(self) -> str:
        """The versions of math-verify and sympy, and the limit."""
        return signature(NAME, revision=REVISION, version=self.version, limit=f"{SECONDS:g}")

    @property
    def capabilities(self) -> Capabilities:
        """Each score is a verdict. Scores are stored, because they take milliseconds."""
        return Capabilities(scale="binary", cost="model")

    def __call__(self, pairs: Sequence[Pair]) -> FloatArray:
        """Return one number per pair, in order, shape (n,). A warning counts the gold answers that are not read."""
        replies = [verified(gold, pred) for gold, pred in pairs]
        if unread := replies.count(_UNREADABLE):
            warn_user(
                UserWarning(
                    f"math-verify cannot read {unread} of {len(pairs)} gold answers, so their predictions score 0; "
                    "leave these rows out, or use the metric typed"
                )
            )
        return np.array([reply == _EQUAL for reply in replies], dtype=np.float64)


@lru_cache(maxsize=1 << 14)
def verified(gold: str, pred: str) -> str:
    """Return "1" if math-verify calls the answers equal, "?" if it cannot read the gold answer, else "0"."""
    return _PROCESS.answer(json.dumps([gold, pred])) or _DIFFERENT


def build(*, lang: str, profile: str | None) -> Metric:
    """Build ``math-verify``. The language and the profile change nothing.

    Raise MissingExtraError if the extra "math" is not installed.
    """
    return MathVerify(check_installed())


def _answers() -> Iterator[str]:
    for line in sys.stdin:
        yield decided(*json.loads(line))


def decided(gold: str, pred: str) -> str:
    """Return what ``verified`` returns, computed here and without a limit."""
    from math_verify import parse, verify

    def read(text: str) -> list[object]:
        found: list[object] = parse(text if "$" in text else f"${text}$", parsing_timeout=None)
        return found or parse(text, parsing_timeout=None)

    golds = read(gold)
    return _UNREADABLE if not golds else str(int(verify(golds, read(pred), timeout_seconds=None)))


if __name__ == "__main__":
    import logging

    logging.disable()  # it warns at each call that it has no limit of its own
    decided("1", "1")  # the imports do not count for the limit
    serve(_answers())
