"""The command-line options of trainings: those of a command, and the settings of a recipe in one option."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from answersim._base.errors import unknown
from answersim._base.runtime.option_groups import Later, metavar_of
from answersim.training.run.recipe import BaseRecipe, help_of

Recipe = TypeVar("Recipe", bound=BaseRecipe)

_TYPES: dict[str, tuple[type, str]] = {"int": (int, "a whole number"), "float": (float, "a number")}


def option(name: str, kind: Any, default: Any, text: str) -> inspect.Parameter:
    """Return the parameter of a command that typer reads as ``--name``; of ``Later``, if its help is one."""
    names = ("--output", "-o") if name == "output" else (_flag(name),) if default is False else ()
    info = typer.Option(
        *names, help=text, show_default=bool(default), hidden=isinstance(text, Later), metavar=metavar_of(kind, default)
    )
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, info])


def recipe_options(recipe: type[BaseRecipe]) -> list[inspect.Parameter]:
    """Return the options of the settings of a recipe: the seed, and one for all others."""
    help_texts = help_of(recipe)
    others = [f"{name}: {text}" for name, text in help_texts.items() if name != "seed"]
    text = f"A setting NAME=VALUE of the training. May be repeated. {' '.join(others)}"
    return [option("seed", int | None, None, help_texts["seed"]), option("option", list[str] | None, None, Later(text))]


def recipe_of(preset: Recipe, arguments: Mapping[str, Any]) -> Recipe:
    """Return a preset with the seed and the settings that ``recipe_options`` gives."""
    settings: dict[str, Any] = {} if arguments["seed"] is None else {"seed": arguments["seed"]}
    kinds = {setting.name: str(setting.type) for setting in fields(preset) if setting.name != "seed"}
    for text in arguments["option"] or ():
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"--option {text!r} is not a setting; write NAME=VALUE, for example epochs=3")
        if name not in kinds:
            raise unknown("setting of the training", name, tuple(kinds))
        convert, description = _TYPES.get(kinds[name], (str, ""))
        try:
            settings[name] = convert(value)
        except ValueError:
            raise ValueError(f"--option {text!r} is not {description}") from None
    return replace(preset, **settings)


def command_line(
    words: Sequence[str],
    arguments: Mapping[str, Any],
    parameters: Sequence[inspect.Parameter],
    *,
    without: Collection[str] = (),
    full_paths: bool = False,
) -> str:
    """Return the command line that gives these values. Absolute paths are their last part unless ``full_paths``."""
    line = list(words)
    for parameter in parameters:
        name = parameter.name
        if name not in arguments or arguments[name] == parameter.default or name in without:
            continue
        value = arguments[name]
        if isinstance(value, (list, tuple)):
            line += [word for item in value for word in (_flag(name), str(item))]
        elif isinstance(value, bool):
            line.append(_flag(name) if value else f"--no-{_flag(name).removeprefix('--')}")
        else:
            short = Path(str(value)).is_absolute() and not full_paths
            line += [_flag(name), Path(value).name if short else str(value)]
    return shlex.join(line)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def take(command: Callable[..., None], options: Sequence[inspect.Parameter]) -> None:
    """Let typer read these options for a command that takes them as ``**arguments``."""
    command.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in options}


LABELS = [
    option(
        "teacher",
        str | None,
        None,
        "A metric that labels every pair whose label is not 1, or 'recorded' to keep all labels. Default: keep labels, "
        "and use sas for pairs without one.",
    ),
    option("cache", Path | None, None, Later("Folder of the scores of the teacher. Default: OUTPUT/teacher-labels.")),
]
RESUME = option("resume", bool, True, Later("Resume an interrupted training of the same recipe."))
