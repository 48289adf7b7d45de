"""Checks of arguments: each returns the value in its own type, or raises an error that names value, rule and remedy."""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answersim.errors import NoHomeError

_MOST = 2**31 - 1  # no count of anything that is held in memory is larger
_SHOWN = 60  # characters of a value in a message


def shown(value: object) -> str:
    """Return a value as it can stand in a message: short, with its type, whatever its ``__repr__`` does.

    >>> shown(5)
    '5 (int)'
    """
    try:
        text = repr(value) if not isinstance(value, int) or abs(value) < 10**60 else "a number of many digits"
    except Exception as error:  # any object may be given, and some cannot be shown
        text = f"<repr failed: {type(error).__name__}>"
    text = " ".join(text.split())
    return f"{text if len(text) <= _SHOWN else text[: _SHOWN - 3] + '...'} ({type(value).__name__})"


def text(name: str, value: Any, such_as: str = "") -> str:
    """Return this string as a plain ``str``; TypeError for anything else.

    >>> text("lang", "de")
    'de'
    """
    if not isinstance(value, str):
        raise TypeError(f"{name} is {shown(value)}, but it must be a string{such_as and f', such as {such_as!r}'}")
    return value if type(value) is str else str.__str__(value)


def whole(name: str, value: Any, least: int | None = None, most: int | None = _MOST) -> int:
    """Return this whole number as an ``int``, also of a numpy integer; TypeError or ValueError for anything else.

    >>> whole("folds", 5, 2)
    5
    """
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except Exception:  # __index__ of any object may fail in any way
        number = None
    if number is None:
        raise TypeError(f"{name} is {shown(value)}, but it must be a whole number")
    if least is not None and number < least:
        raise ValueError(f"{name} is {shown(number)}, but it must be {least} or more")
    if most is not None and number > most:
        raise ValueError(f"{name} is {shown(number)}, but it must be {most:,} or less")
    return number


def number(name: str, value: Any) -> float:
    """Return this number as a ``float``, also of a numpy number; TypeError for anything else.

    nan and infinity are numbers. Whoever cannot use them checks the range.

    >>> number("level", 1)
    1.0
    """
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    scalar = isinstance(value, (int, float)) or (str(kind) in "iuf" and str(kind) and getattr(value, "shape", 0) == ())
    if isinstance(value, bool) or not scalar:
        raise TypeError(f"{name} is {shown(value)}, but it must be a number")
    try:
        return float(value)
    except (OverflowError, TypeError, ValueError):
        raise ValueError(f"{name} is {shown(value)}, which is too large for a number of 64 bits") from None


def between(name: str, value: Any, low: float, high: float, *, ends: bool = False) -> float:
    """Return this number if it lies between these two; the ends themselves count only if ``ends``.

    >>> between("level", 0.95, 0, 1)
    0.95
    """
    found = number(name, value)
    if not (low <= found <= high if ends else low < found < high):
        within = "from" if ends else "between"
        joined = "to" if ends else "and"
        beyond = "" if ends else ", without the ends"
        raise ValueError(f"{name} is {found:g}, but it must be a number {within} {low:g} {joined} {high:g}{beyond}")
    return found


def numbers(name: str, value: Any, such_as: str = "one number a pair") -> NDArray[np.float64]:
    """Return an array of float64 of whatever holds numbers only; TypeError for anything else.

    The array is not a copy if it need not be. nan and infinity are numbers.

    >>> numbers("scores", [1, 2.5])
    array([1. , 2.5])
    """
    try:
        if isinstance(value, (str, bytes, Mapping, set, frozenset)):
            raise TypeError("it holds no numbers in an order")
        found = np.asarray(value)
        if found.dtype.kind not in "biufO":
            raise TypeError(f"it holds {found.dtype}")
        if found.dtype.kind == "O" and any(isinstance(each, (str, bytes)) for each in found.ravel()):
            raise TypeError("it holds texts")
        return np.asarray(found, dtype=np.float64)
    except Exception as error:  # the elements may be of any kind
        raise TypeError(f"{name} is {shown(value)}, but must be {such_as} ({type(error).__name__}: {error})") from None


def flag(name: str, value: Any) -> bool:
    """Return True or False, also of a numpy bool; TypeError for anything else.

    >>> flag("progress", True)
    True
    """
    if isinstance(value, bool):
        return value
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    if not (kind == "b" and getattr(value, "shape", 0) == ()):
        raise TypeError(f"{name} is {shown(value)}, but it must be True or False")
    return bool(value)


def path(name: str, value: Any) -> str:
    """Return a path as a string; TypeError or ValueError for what is no path, or an empty one.

    >>> path("model", "all-MiniLM-L6-v2")
    'all-MiniLM-L6-v2'
    """
    try:
        found = os.fspath(value)
    except Exception:  # __fspath__ of any object may fail in any way
        found = None
    if not isinstance(found, str):
        raise TypeError(f"{name} is {shown(value)}, but it must be a path: a string or a pathlib.Path")
    if not found or "\0" in found:
        raise ValueError(f"{name} is {shown(value)}, but a path has at least one character, and none that is null")
    return str.__str__(found)


def expanded(value: str | os.PathLike[str]) -> Path:
    """Return this path, with "~" as the home folder; NoHomeError if there is none.

    >>> expanded("models").as_posix()
    'models'
    """
    try:
        return Path(value).expanduser()
    except RuntimeError as error:  # of pathlib: no HOME and no entry for the user, or no such user
        raise NoHomeError(
            f"{os.fspath(value)!r} is below a home folder, but there is none ({str(error).rstrip('.')}); write the "
            "whole path, or set $HOME"
        ) from None


def listed(name: str, value: Any, what: str = "values") -> list[Any]:
    """Return a list of what an ordered iterable holds; TypeError for a text, a mapping, a set or what holds nothing.

    >>> listed("metrics", ("em", "f1"))
    ['em', 'f1']
    """
    if isinstance(value, (str, bytes, bytearray, memoryview, Mapping, set, frozenset)) or not isinstance(
        value, Iterable
    ):
        raise TypeError(f"{name} is {shown(value)}, but it must be a sequence of {what}, such as a list")
    try:
        return list(value)
    except Exception as error:  # a 0-d array, a broken generator ...: any iterable may be given
        raise TypeError(
            f"{name} is {shown(value)}, which cannot be gone through ({type(error).__name__}: {error}); give a "
            f"list of {what}"
        ) from error


def texts(name: str, value: Any) -> list[str]:
    """Return a list of strings; TypeError for one string, and for what is none.

    >>> texts("by", ["length"])
    ['length']
    """
    if isinstance(value, str):
        raise TypeError(f"{name} is the string {value!r}, but it must be a sequence of strings; give [{value!r}]")
    return [text(f"{name}[{i}]", each) for i, each in enumerate(listed(name, value, "strings"))]


def generator(name: str, value: Any) -> np.random.Generator:
    """Return this generator; TypeError for anything else, such as a seed.

    >>> generator("rng", 5)
    Traceback (most recent call last):
        ...
    TypeError: rng is 5 (int), but it must be a generator of random numbers; give numpy.random.default_rng(seed)
    """
    if not isinstance(value, np.random.Generator):
        raise TypeError(
            f"{name} is {shown(value)}, but it must be a generator of random numbers; give "
            "numpy.random.default_rng(seed)"
        )
    return value


def mapping(name: str, value: Any) -> dict[Any, Any]:
    """Return a dictionary of what a mapping holds; TypeError for anything else.

    >>> mapping("story", {"seed": 0})
    {'seed': 0}
    """
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} is {shown(value)}, but it must be a mapping, such as a dictionary")
    return dict(value)


def finite(name: str, value: Any) -> float:
    """Return this number; TypeError or ValueError for what is none, for nan and for infinity.

    >>> finite("cut", 2)
    2.0
    """
    found = number(name, value)
    if not math.isfinite(found):
        raise ValueError(f"{name} is {found}, but it must be a finite number")
    return found
