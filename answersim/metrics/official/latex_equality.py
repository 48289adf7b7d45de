"""Whether two LaTeX expressions are equal by sympy, as in the rule of Minerva. The module is its own child process."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version

from answersim._base.errors import MissingExtraError
from answersim._base.runtime.line_process import LineProcess, serve

_SECONDS = 5.0  # the limit of lm-eval; a slower comparison is "different"
_PROCESS = LineProcess("answersim.metrics.official.latex_equality", _SECONDS)


@lru_cache(maxsize=1)
def check_installed() -> str:
    """Return the version of sympy. Raise MissingExtraError unless its parser, antlr 4.11, is installed too."""
    for package, needed in (("antlr4-python3-runtime", "4.11."), ("sympy", "1.")):
        try:
            installed = version(package)
        except PackageNotFoundError:
            installed = ""
        if not installed.startswith(needed):
            raise MissingExtraError("the equality of LaTeX", "math", f"{package} {needed}*")
    return installed


@lru_cache(maxsize=1 << 14)
def equal(first: str, second: str) -> bool:
    r"""Return whether the difference of two expressions simplifies to 0.

    An expression that cannot be parsed or subtracted differs from every other, and from itself. Raise MissingExtraError
    if the extra "math" is not installed.
    """
    check_installed()
    return _PROCESS.answer(json.dumps([first, second])) == "1"


def _answers() -> Iterator[str]:
    for line in sys.stdin:
        yield str(int(_simplified(*json.loads(line))))


def _simplified(first: str, second: str) -> bool:
    from sympy import simplify
    from sympy.parsing.latex import parse_latex

    try:
        return bool(simplify(parse_latex(first) - parse_latex(second)) == 0)
    except Exception:  # the owner's code treats every exception as "different"
        return False


if __name__ == "__main__":
    _simplified("1", "1")  # the imports do not count for the limit
    serve(_answers())
