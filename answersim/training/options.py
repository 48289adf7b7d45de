"""The command-line options of a recipe, generated from its fields."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

import typer

from answersim.training.recipe import BaseRecipe

_TYPES = {"int": int, "float": float, "str": str, "bool": bool}


def option(name: str, kind: Any, default: Any, text: str) -> inspect.Parameter:
    """Return the parameter of a command that typer reads as ``--name``."""
    annotation = Annotated[kind, typer.Option(help=text, show_default=bool(default))]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def recipe_options(recipe: type[BaseRecipe], help_texts: Mapping[str, str]) -> list[inspect.Parameter]:
    """Return an option for every setting of a recipe, in the order of the texts; None if it is not given."""
    kinds: dict[str, Any] = {setting.name: _TYPES.get(str(setting.type), str) for setting in fields(recipe)}
    return [option(name, kinds[name] | None, None, text) for name, text in help_texts.items()]


def command_line(
    words: Sequence[str],
    given: Mapping[str, Any],
    parameters: Sequence[inspect.Parameter],
    *,
    without: Collection[str] = (),
    full_paths: bool = False,
) -> str:
    """Return the command line that gives these values, without those that are the default.

    ``full_paths``: if False, only the last part of an absolute path is in the line, so that others can use it.
    """
    line = list(words)
    for parameter in parameters:
        name = parameter.name
        if name not in given or given[name] == parameter.default or name in without:
            continue
        value = given[name]
        if isinstance(value, bool):
            line.append(_flag(name) if value else f"--no-{_flag(name).removeprefix('--')}")
        else:
            short = Path(str(value)).is_absolute() and not full_paths
            line += [_flag(name), Path(value).name if short else str(value)]
    return shlex.join(line)


def listed(text: str | None) -> tuple[str, ...]:
    """Return the values between commas.

    >>> listed("initials, inverted"), listed(None)
    (('initials', 'inverted'), ())
    """
    return tuple(value.strip() for value in (text or "").split(",") if value.strip())


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"
