"""Checks of arguments: return the value in its plain type, or raise an error that gives value, rule and remedy."""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answersim._base.errors import NoHomeError, shortened

_MOST = 2**31 - 1  # no count of anything in memory is larger


def shown(value: object) -> str:
    """Return a value for a message: short and with its type, also if its ``__repr__`` fails.

    >>> shown(5)
    '5 (int)'
    """
    try:
        text = repr(value) if not isinstance(value, int) or abs(value) < 10**60 else "a number of many digits"
    except Exception as error:  # any object may be passed, and the repr of some fails
        text = f"<repr failed: {type(error).__name__}>"
    return f"{shortened(' '.join(text.split()))} ({type(value).__name__})"


def is_missing(value: Any) -> bool:
    """Return whether this is None, nan or a missing value of pandas."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, Real) and bool(value != value)


def text(name: str, value: Any, such_as: str = "") -> str:
    """Return this string as a plain ``str``. Raise TypeError for anything else."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is {shown(value)}, but it must be a string{such_as and f', such as {such_as!r}'}")
    return value if type(value) is str else str.__str__(value)


def whole(name: str, value: Any, least: int | None = None, most: int | None = _MOST) -> int:
    """Return this whole number as an ``int``, also a numpy integer. Raise TypeError or ValueError for any other."""
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
    """Return this number as a ``float``, also nan, infinity and numpy numbers. Raise TypeError for anything else."""
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    scalar = isinstance(value, (int, float)) or (str(kind) in "iuf" and str(kind) and getattr(value, "shape", 0) == ())
    if isinstance(value, bool) or not scalar:
        raise TypeError(f"{name} is {shown(value)}, but it must be a number")
    try:
        return float(value)
    except (OverflowError, TypeError, ValueError):
        raise ValueError(f"{name} is {shown(value)}, which is too large for a number of 64 bits") from None


def between(name: str, value: Any, low: float, high: float, *, ends: bool = False) -> float:
    """Return this number if it is between these two. The ends themselves are allowed only if ``ends`` is true."""
    amount = number(name, value)
    if not (low <= amount <= high if ends else low < amount < high):
        within = "from" if ends else "between"
        joined = "to" if ends else "and"
        beyond = "" if ends else ", without the ends"
        raise ValueError(f"{name} is {amount:g}, but it must be a number {within} {low:g} {joined} {high:g}{beyond}")
    return amount


def numbers(name: str, value: Any, such_as: str = "one number per pair") -> NDArray[np.float64]:
    """Return numbers as an array of float64, a copy only if necessary. Raise TypeError for anything but numbers."""
    try:
        if isinstance(value, (str, bytes, Mapping, set, frozenset)):
            raise TypeError("it is not an ordered sequence of numbers")
        array = np.asarray(value)
        if array.dtype.kind not in "biufO":
            raise TypeError(f"it contains {array.dtype}")
        if array.dtype.kind == "O" and any(isinstance(element, (str, bytes)) for element in array.ravel()):
            raise TypeError("it contains strings")
        return np.asarray(array, dtype=np.float64)
    except Exception as error:  # the elements may be of any kind
        raise TypeError(
            f"{name} is {shown(value)}, but it must be {such_as} ({type(error).__name__}: {error})"
        ) from None


def flag(name: str, value: Any) -> bool:
    """Return True or False, also for a numpy bool. Raise TypeError for anything else."""
    if isinstance(value, bool):
        return value
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    if not (kind == "b" and getattr(value, "shape", 0) == ()):
        raise TypeError(f"{name} is {shown(value)}, but it must be True or False")
    return bool(value)


def path(name: str, value: Any) -> str:
    """Return a path as a string. Raise TypeError for anything that is not a path, ValueError for an empty one."""
    try:
        string = os.fspath(value)
    except Exception:  # __fspath__ of any object may fail in any way
        string = None
    if not isinstance(string, str):
        raise TypeError(f"{name} is {shown(value)}, but it must be a path: a string or a pathlib.Path")
    if not string or "\0" in string:
        raise ValueError(f"{name} is {shown(value)}, but a path has at least one character and no null character")
    return str.__str__(string)


def expanded(value: str | os.PathLike[str]) -> Path:
    """Return this path, with "~" as the home folder. Raise NoHomeError if there is none."""
    try:
        return Path(value).expanduser()
    except RuntimeError as error:  # pathlib found no HOME and no entry for the user, or no such user
        raise NoHomeError(
            f"{os.fspath(value)!r} is below a home folder, but there is none ({str(error).rstrip('.')}); write an "
            f"absolute path, or set $HOME"
        ) from None


def listed(name: str, value: Any, plural: str = "values") -> list[Any]:
    """Return the elements of an ordered iterable as a list. Raise TypeError for any other value, a string included."""
    if isinstance(value, (str, bytes, bytearray, memoryview, Mapping, set, frozenset)) or not isinstance(
        value, Iterable
    ):
        raise TypeError(f"{name} is {shown(value)}, but it must be a sequence of {plural}, such as a list")
    try:
        return list(value)
    except Exception as error:  # a 0-d array, a broken generator ...: any iterable may be passed
        raise TypeError(
            f"{name} is {shown(value)}, which cannot be iterated over ({type(error).__name__}: {error}); give a "
            f"list of {plural}"
        ) from error


def texts(name: str, value: Any) -> list[str]:
    """Return a list of strings. Raise TypeError for a single string, and for any other element."""
    if isinstance(value, str):
        raise TypeError(f"{name} is the string {value!r}, but it must be a sequence of strings; give [{value!r}]")
    return [text(f"{name}[{i}]", element) for i, element in enumerate(listed(name, value, "strings"))]


def names(name: str, value: Any) -> list[str]:
    """Return a list of names from one, several or None. Raise TypeError for anything else."""
    return [] if value is None else [text(name, value)] if isinstance(value, str) else texts(name, value)


def refuse(values: Mapping[str, Any], why: str) -> None:
    """Raise ValueError if one of these arguments is given, that is, not None."""
    for name, value in values.items():
        if value is not None:
            raise ValueError(f"{name} is {shown(value)}, but {why}")


def one_or_several(name: str, value: Any, plural: str = "names or metrics") -> list[Any]:
    """Return a list of names and functions, such as metrics, from one of them or a sequence."""
    return [value] if isinstance(value, str) or callable(value) else listed(name, value, plural)


def seed(name: str, value: Any) -> int:
    """Return this seed, or one that this generator of random numbers draws. Raise TypeError for anything else."""
    if type(value) is not int and isinstance(value, np.random.Generator):  # numpy.random loads late
        return int(value.integers(2**63))
    try:
        return whole(name, value, 0, None)
    except TypeError:
        raise TypeError(
            f"{name} is {shown(value)}, but it must be a whole number or a numpy.random.Generator"
        ) from None


def mapping(name: str, value: Any) -> dict[Any, Any]:
    """Return the entries of a mapping as a dictionary. Raise TypeError for anything else."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} is {shown(value)}, but it must be a mapping, such as a dictionary")
    return dict(value)


def finite(name: str, value: Any) -> float:
    """Return this number. Raise TypeError if it is not a number, and ValueError for nan and infinity."""
    amount = number(name, value)
    if not math.isfinite(amount):
        raise ValueError(f"{name} is {amount}, but it must be a finite number")
    return amount


def number_or_text(value: str) -> int | float | str:
    """Return a whole number, a decimal number, or the text."""
    for kind in (int, float):
        with suppress(ValueError):
            return kind(value)
    return value


def is_unicode(text: str) -> bool:
    """Return whether this text consists of characters: it contains no lone surrogate, which UTF-8 cannot encode."""
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False
