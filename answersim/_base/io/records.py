"""Dataclasses and named tuples to and from JSON, nested to any depth.

JSON has neither infinity nor nan. With ``undefined=True``, a number may be null (nan), "inf" or "-inf".
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from answersim._base.arguments import is_unicode
from answersim._base.text_tables import json_values

_INFINITE = {"inf": math.inf, "-inf": -math.inf}
_NAMES: dict[Any, str] = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}


def to_json(value: Any) -> Any:
    """Return a value of JSON: records as objects, tuples as lists, infinity as text, nan as null."""
    return json_values(value, has_infinity=True)


def from_json(
    kind: Any, stated: Mapping[str, Any], name: str = "", *, complete: bool = False, undefined: bool = False
) -> Any:
    """Return the record that ``to_json`` wrote.

    ``complete``: whether each field must be stated. Otherwise, a missing field has its default. ``undefined``: whether
    null, "inf" and "-inf" are numbers.
    """
    if not isinstance(stated, Mapping):
        raise TypeError(f"{name or kind.__name__} is {shown(stated)}, but it must be an object")
    names = getattr(kind, "_fields", None) or [field.name for field in fields(kind)]
    check_names(stated, names, name or kind.__name__, complete=complete)
    check_types(kind, stated, name, undefined=undefined)
    hints, prefix = get_type_hints(kind), f"{name}." if name else ""
    values = {key: _restored(hints[key], value, f"{prefix}{key}", complete, undefined) for key, value in stated.items()}
    try:
        return kind(**values)
    except ValueError as error:
        raise ValueError(f"{name}: {error}" if name else str(error)) from error


def distinct_members(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members of a JSON object, for ``object_pairs_hook``. A name that it has twice is an error."""
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the name {next(name for name in names if names.count(name) > 1)[:60]!a} is in it twice")
    return members


def check_names(stated: Mapping[str, Any], names: Any, name: str, *, complete: bool = True) -> None:
    """Check that a record has no other fields than these, and all of them if it must be complete."""
    if unknown := [key for key in stated if key not in names]:
        raise ValueError(f"{name} has no field {unknown[0][:60]!a}; it has {', '.join(sorted(names))}")
    if complete and (missing := [key for key in names if key not in stated]):
        raise ValueError(f"{name} lacks the field {missing[0]!r}")


def check_types(kind: Any, stated: Mapping[str, Any], name: str = "", *, undefined: bool = False) -> None:
    """Check that each of these fields has the type that its class states, as JSON or Python writes it.

    Names that the class does not have are ignored. ``undefined``: whether null, "inf" and "-inf" are numbers.
    """
    hints, prefix = get_type_hints(kind), f"{name}." if name else ""
    for key, value in stated.items():
        if key in hints:
            _check(hints[key], value, f"{prefix}{key}", undefined)


def shown(value: Any) -> str:
    """Return a value of JSON for a message: its beginning, in ASCII."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 10**30:
        return "an integer of more than 30 digits"  # Python may refuse to print its digits
    if isinstance(value, (Mapping, list)):
        return f"{'a list' if isinstance(value, list) else 'an object'} of {len(value)}"
    return ascii(value)[:60] if value is not None else "missing or null"


def _check(kind: Any, value: Any, place: str, undefined: bool) -> None:
    """Check a value and, in a list, each of its items; records within are checked when they are built."""
    if not _fits(kind, value, undefined):
        type_name = "" if value is None or isinstance(value, (Mapping, list)) else f" ({type(value).__name__})"
        raise TypeError(f"{place} is {shown(value)}{type_name}, but it must be {_named(kind, undefined)}")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        with suppress(OverflowError):
            if math.isfinite(value):
                return
        raise ValueError(f"{place} is {shown(value)}, but it must be a number within the range of a float")
    if isinstance(value, str) and not is_unicode(value):
        raise ValueError(f"{place} is {shown(value)}, but half a surrogate pair is not a character")
    if get_origin(kind) is tuple:
        for i, (item_kind, item) in enumerate(_items(kind, value)):
            _check(item_kind, item, f"{place}[{i}]", undefined)


def _fits(kind: Any, value: Any, undefined: bool) -> bool:
    """Return whether a value has this type, without the items of a list. An unknown type is left to the class."""
    if kind is bool or isinstance(value, bool):
        kinds = (kind, *get_args(kind))
        return isinstance(value, bool) and (bool in kinds or Any in kinds or get_origin(kind) is Literal)
    if kind is float:
        return isinstance(value, (int, float)) or (
            undefined and (value is None or (isinstance(value, str) and value in _INFINITE))
        )
    if kind in (int, str, type(None)):
        return isinstance(value, kind)
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return any(_fits(option, value, undefined) for option in inner)
    if origin is Literal:
        return isinstance(value, (str, int)) and value in inner
    if origin is tuple:
        return isinstance(value, (tuple, list)) and (inner[-1] is Ellipsis or len(value) == len(inner))
    if _is_record(kind):
        return isinstance(value, (Mapping, kind))
    return isinstance(value, Mapping) if _is_mapping(kind) else True


def _items(kind: Any, values: Any) -> list[tuple[Any, Any]]:
    """Return each item of a tuple with its type."""
    inner = get_args(kind)
    kinds = [inner[0]] * len(values) if inner[-1] is Ellipsis else inner
    return list(zip(kinds, values, strict=True))


def _restored(kind: Any, value: Any, place: str, complete: bool, undefined: bool) -> Any:
    if isinstance(value, Mapping):
        records = [option for option in (kind, *get_args(kind)) if _is_record(option)]
        if len(records) == 1:
            return from_json(records[0], value, place, complete=complete, undefined=undefined)
    if kind is float and undefined and (value is None or isinstance(value, str)):
        return math.nan if value is None else _INFINITE[value]
    if kind is float and undefined:
        return float(value)
    if get_origin(kind) is tuple:
        items = enumerate(_items(kind, value))
        return tuple(_restored(item_kind, item, f"{place}[{i}]", complete, undefined) for i, (item_kind, item) in items)
    return tuple(value) if isinstance(value, list) else value


def _is_record(kind: Any) -> bool:
    return isinstance(kind, type) and (is_dataclass(kind) or hasattr(kind, "_fields"))


def _is_mapping(kind: Any) -> bool:
    origin = get_origin(kind) or kind
    return isinstance(origin, type) and issubclass(origin, Mapping)


def _named(kind: Any, undefined: bool) -> str:
    """Return an annotation in words."""
    if kind is float and undefined:
        return "a number (null for one that is not defined)"
    if get_origin(kind) is Literal:
        return f"one of: {', '.join(map(str, get_args(kind)))}"
    if get_origin(kind) is tuple:
        return "a list" if get_args(kind)[-1] is Ellipsis else f"a list of {len(get_args(kind))}"
    if _is_record(kind) or _is_mapping(kind):
        return "an object"
    name = kind if get_args(kind) else getattr(kind, "__name__", kind)
    return _NAMES.get(kind) or f"a value of the type {name}"
