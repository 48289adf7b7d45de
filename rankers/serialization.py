"""Settings: frozen dataclasses, nested to any depth, to and from JSON, and the checks of their values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from answersim.errors import unknown


def to_dict(settings: Any) -> dict[str, Any]:
    """Return the settings by name, with nested settings as dicts and tuples as lists.

    >>> from rankers.training.perturbation import Typos
    >>> to_dict(Typos(places=("answer",)))["places"]
    ['answer']
    """
    return {setting.name: _plain(getattr(settings, setting.name)) for setting in fields(settings)}


def from_dict(target: Any, stated: Mapping[str, Any], name: str = "") -> Any:
    """Return the settings that ``to_dict`` wrote.

    Args:
        target: The class of the settings.
        stated: The settings by name. A missing setting has its default.
        name: The name of the settings, for the message.

    Raises:
        TypeError: If a setting has another type than the class states. The message names it.
        ValueError: If the class does not have a setting. The message names it.
    """
    if not isinstance(stated, Mapping):
        raise TypeError(f"{name or target.__name__} is {stated!r:.60}, but it must be settings by name")
    names = set(target._fields) if hasattr(target, "_fields") else {setting.name for setting in fields(target)}
    if strange := sorted(set(stated) - names):
        raise ValueError(
            f"{name or target.__name__} has no setting {', '.join(strange)}; it has {', '.join(sorted(names))}"
        )
    check_types(target, stated, name)
    kinds = get_type_hints(target)
    return target(**{key: _restored(kinds[key], value, f"{name}.{key}") for key, value in stated.items()})


def check_types(target: Any, stated: Mapping[str, Any], name: str = "") -> None:
    """Check that each of these settings has the type that its class states, as JSON or Python writes it.

    Args:
        target: The class of the settings.
        stated: Some settings by name. Names that the class does not have are ignored.
        name: The name of the settings, for the message.

    Raises:
        TypeError: If a setting has another type. The message gives the name, the value and the required type.
        ValueError: If a number is not finite.
    """
    kinds = get_type_hints(target)
    for key, value in stated.items():
        if key in kinds and not _fits(kinds[key], value):
            place = f"{name}.{key}" if name else key
            raise TypeError(f"{place} is {value!r:.60} ({type(value).__name__}), but it must be {_named(kinds[key])}")
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{name + '.' if name else ''}{key} is {value}, but it must be a finite number")


def check_choices(settings: Any, **allowed: Sequence[str]) -> None:
    """Check that each of these settings has one of its allowed values. Raise LookupError if not."""
    for name, values in allowed.items():
        if getattr(settings, name) not in values:
            raise unknown(name.replace("_", " "), getattr(settings, name), values)


def check_least(settings: Any, least: float, *names: str) -> None:
    """Check that each of these settings is at least this number, and so not nan. Raise ValueError if not."""
    for name in names:
        if not getattr(settings, name) >= least:
            raise ValueError(f"{name} is {getattr(settings, name)}, but it must be at least {least}")


def check_above_zero(settings: Any, *names: str) -> None:
    """Check that each of these settings is a finite number above 0. Raise ValueError if not."""
    for name in names:
        if not 0 < getattr(settings, name) < math.inf:
            raise ValueError(f"{name} is {getattr(settings, name)}, but it must be a number above 0")


def check_below_one(settings: Any, *names: str) -> None:
    """Check that each of these settings is at least 0 and below 1. Raise ValueError if not."""
    for name in names:
        if not 0 <= getattr(settings, name) < 1:
            raise ValueError(f"{name} is {getattr(settings, name)}, but it must be at least 0 and below 1")


def _fits(kind: Any, value: Any) -> bool:
    """Return whether a value has this type. An unknown type is left to the class."""
    if kind is bool or isinstance(value, bool):
        return isinstance(value, bool) and (kind is bool or kind is Any or _has(kind, bool))
    if kind is float:
        return isinstance(value, int | float)
    if kind in (int, str, type(None)):
        return isinstance(value, kind)
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return any(_fits(option, value) for option in inner)
    if origin is Literal:
        return value in inner
    if origin is tuple:
        if not isinstance(value, tuple | list):
            return False
        if len(inner) == 2 and inner[1] is Ellipsis:
            return all(_fits(inner[0], item) for item in value)
        return len(value) == len(inner) and all(map(_fits, inner, value))
    if is_dataclass(kind):
        return isinstance(value, Mapping) or is_dataclass(value)
    return True


def _has(kind: Any, other: type) -> bool:
    return any(argument is other for argument in get_args(kind)) or get_origin(kind) is Literal or is_dataclass(kind)


def _named(kind: Any) -> str:
    plain = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}
    return plain.get(kind) or f"a value of the type {getattr(kind, '__name__', kind) if not get_args(kind) else kind}"


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return to_dict(value)
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _restored(kind: Any, value: Any, name: str) -> Any:
    if is_dataclass(kind) and isinstance(value, Mapping):
        return from_dict(kind, value, name)
    return tuple(value) if isinstance(value, list) else value
