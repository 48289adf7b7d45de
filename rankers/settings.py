"""Settings as JSON can hold them, and back: frozen dataclasses, however deep one stands in another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, get_type_hints

# What a run of before a setting was there did without knowing its name.
BEFORE: Mapping[str, Any] = {"reads": "right", "precision": "float32", "objective": None, "source": "", "damage": None}


def to_dict(settings: Any) -> dict[str, Any]:
    """The settings by name; those that are settings themselves as dicts, tuples as lists.

    >>> from rankers.perturbation import Typos
    >>> to_dict(Typos(places=("answer",)))["places"]
    ['answer']
    """
    return {each.name: _plain(getattr(settings, each.name)) for each in fields(settings)}


def from_dict(made: Any, stated: Mapping[str, Any], name: str = "") -> Any:
    """The settings that ``to_dict`` gave.

    Args:
        made: Their class.
        stated: By name; what is not there has its default.
        name: What the settings are of, for the complaint.

    Raises:
        ValueError: A setting that the class does not have; names it.
    """
    known = {each.name for each in fields(made)}
    if strange := sorted(set(stated) - known):
        raise ValueError(
            f"{name or made.__name__} has no setting {', '.join(strange)}; it has {', '.join(sorted(known))}"
        )
    kinds = get_type_hints(made)
    return made(**{key: _restored(kinds[key], value, f"{name}.{key}") for key, value in stated.items()})


def as_of_today(stated: Mapping[str, Any], today: Mapping[str, Any]) -> dict[str, Any]:
    """What an earlier run stated, with the settings of today that it did not know at what they were then.

    A setting that is not in ``BEFORE``, or that today's facts do not have, is left out as it was.
    """
    found = {key: BEFORE[key] for key in today if key in BEFORE} | dict(stated)
    return {
        key: as_of_today(value, today[key])
        if isinstance(value, Mapping) and isinstance(today.get(key), Mapping)
        else value
        for key, value in found.items()
    }


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return to_dict(value)
    return [_plain(each) for each in value] if isinstance(value, tuple) else value


def _restored(kind: Any, value: Any, name: str) -> Any:
    if is_dataclass(kind) and isinstance(value, Mapping):
        return from_dict(kind, value, name)
    return tuple(value) if isinstance(value, list) else value
