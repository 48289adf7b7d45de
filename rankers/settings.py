"""The checks of the values of settings, for frozen dataclasses."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar

from answersim._base.errors import unknown
from answersim._base.io import records

DEFAULT = "minilm-hybrid"  # the ranker of `rank`; chosen on dev splits: benchmarks/results/reranking.md
THRESHOLD = 0.8  # the default score from which two answers count as equivalent
CALIBRATED = "calibrated"  # the threshold at which the shipped calibration of a metric says "equivalent"
# Metadata of a setting whose default turns a feature off. It is stated only if it is on, so that a new feature does not
# change the statements of trainings without it.
OFF = {"default": "off"}


class Presets:
    """A base of the settings of networks, whose presets are changes of the defaults."""

    PAPER: ClassVar[Mapping[str, Any]] = {}  # the published size
    CPU: ClassVar[Mapping[str, Any]] = {}  # a size that trains in minutes on one core

    @classmethod
    def preset(cls, name: str) -> Any:
        """Return the settings of the preset "paper", or those of "cpu" for any other."""
        return cls(**(cls.PAPER if name == "paper" else cls.CPU))


def to_json(settings: Any) -> Any:
    """Return settings as JSON-compatible values, with those at any depth, and without what is ``OFF``.

    >>> from rankers.training.trainer import Recipe
    >>> [set(to_json(Recipe(micro_batch=n))) - set(to_json(Recipe())) for n in (0, 8)]
    [set(), {'micro_batch'}]
    """
    if not is_dataclass(settings):
        return records.to_json(settings)
    values = [(setting, getattr(settings, setting.name)) for setting in fields(settings)]
    return {
        setting.name: to_json(value) for setting, value in values if setting.metadata != OFF or value != setting.default
    }


def differences(stored: Mapping[str, Any], given: Mapping[str, Any], place: str = "") -> Iterator[str]:
    """Yield each setting in which two provenances differ, with both values."""
    for key in sorted({*stored, *given}):
        there, here, name = stored.get(key), given.get(key), f"{place}{key}"
        if isinstance(there, Mapping) and isinstance(here, Mapping):
            yield from differences(there, here, f"{name}.")
        elif there != here:
            yield f"{name} is {there!r:.60} there and {here!r:.60} here"


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


def parsed(texts: Sequence[str]) -> dict[str, Any]:
    """Return settings from texts such as ``epochs=3``. Values are JSON if possible, else text.

    >>> parsed(["epochs=3", "loss=hinge"])
    {'epochs': 3, 'loss': 'hinge'}
    """
    overrides: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise ValueError(f"{text!r} is not of the form SETTING=VALUE, for example epochs=3")
        try:
            overrides[name] = json.loads(value)
        except json.JSONDecodeError:
            overrides[name] = value
    return overrides
