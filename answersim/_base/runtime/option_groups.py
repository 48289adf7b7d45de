"""Groups of options: a dataclass in the signature of a command becomes the options of its fields, under one heading."""

from __future__ import annotations

import csv
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from copy import copy
from dataclasses import field, fields
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeVar, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand

from answersim._base.runtime.cli_errors import user_errors

Group = TypeVar("Group", bound="OptionGroup")
_KEYWORD = inspect.Parameter.KEYWORD_ONLY


class OptionGroup:
    """A frozen dataclass of options. A group that inherits others has their options, under their headings."""

    heading: ClassVar[str]
    last: ClassVar[bool] = False  # whether its options are after all others

    def opened(self, stack: ExitStack) -> None:
        """Enter the contexts in which a command with these options runs."""


def option(default: Any, text: str, *names: str, is_first: bool = True, **settings: Any) -> Any:
    """Return a field of a group of options. ``--help-all`` shows all options, and ``--help`` those that are first.

    ``names``: how the option is written, if it is not the name of the field. One that is False by default has no form
    with ``--no-``, also as a parameter of a command.
    """
    return field(default=default, metadata={"help": text, "names": names, "first": is_first, "settings": settings})


class Later(str):
    """The help of an option of a command that ``--help`` does not show, but ``--help-all`` does."""


class Use:
    """How a command uses a group of options.

    ``only`` and ``without`` are the fields that it has and lacks; with neither, it has all. Fields of ``several``
    accept several names, with commas or by repeating the option. A field of the type ``tuple[str, ...]`` accepts one
    name elsewhere, which may contain a comma. ``first`` and ``later`` are fields that ``--help`` shows and does not
    show in this command, whatever it does in others. ``notes`` follow the help of a field in this command.
    """

    def __init__(
        self,
        only: str = "",
        *,
        without: str = "",
        several: str = "",
        first: str = "",
        later: str = "",
        defaults: Mapping[str, Any] | None = None,
        **notes: str,
    ):
        self.only, self.without, self.several = only.split(), without.split(), several.split()
        self.first, self.later = first.split(), later.split()
        self.defaults, self.notes = defaults or {}, notes

    def has(self, name: str) -> bool:
        """Return whether the command has this field."""
        return name not in self.without and (not self.only or name in self.only)


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Return a command that typer can read. Each group of options in its signature becomes the options of its fields.

    A text in the annotation of another parameter is its help: of an option if it has a default, else of an argument.
    An error that the user can correct ends the command with one line and exit status 2.
    """
    # Not get_type_hints: in Python 3.10, it hides what is stated of a parameter whose default is None.
    listed = inspect.signature(function, eval_str=True).parameters
    hints = {name: parameter.annotation for name, parameter in listed.items()}
    parameters: list[inspect.Parameter] = []
    last: list[inspect.Parameter] = []
    groups: dict[str, tuple[type[OptionGroup], Use]] = {}
    notes: dict[str, str] = {}
    for name, parameter in listed.items():
        kind, *more = get_args(hints[name]) if get_origin(hints[name]) is Annotated else (hints[name],)
        if not (isinstance(kind, type) and issubclass(kind, OptionGroup)):
            own = last if groups else parameters
            if more and isinstance(more[0], str):
                hints[name] = Annotated[kind, _described(parameter, kind, more[0])]
            own.append(parameter.replace(annotation=hints[name], kind=_KEYWORD))
            continue
        use = next((item for item in more if isinstance(item, Use)), Use())
        groups[name] = kind, use
        for is_last, option_parameter in _parameters(kind, use):
            (last if is_last else parameters).append(option_parameter)
        notes |= use.notes

    @wraps(function)
    def run(**arguments: Any) -> None:
        with user_errors(), ExitStack() as stack:
            for name, (kind, use) in groups.items():
                arguments[name] = _group(kind, use, arguments)
                arguments[name].opened(stack)
            function(**arguments)

    parameters += last
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined] # what typer reads
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.notes = notes  # type: ignore[attr-defined] # what the table of options reads
    return run


def _described(parameter: inspect.Parameter, kind: Any, text: str) -> Any:
    """Return what typer reads of an option or an argument with this help."""
    if parameter.default is not inspect.Parameter.empty:
        names = _flag(parameter.name, parameter.default)
        return typer.Option(
            *names, help=text, hidden=isinstance(text, Later), metavar=metavar_of(kind, parameter.default)
        )
    files = {Path: "FILE", list[Path]: "FILE..."}
    return typer.Argument(metavar=files.get(kind, parameter.name.upper()), help=text)


def _parameters(kind: type[OptionGroup], use: Use) -> Iterator[tuple[bool, inspect.Parameter]]:
    """Yield the parameters that typer reads as the options of a group, and whether they are after all others."""
    types = get_type_hints(kind)
    for item in fields(kind):  # type: ignore[arg-type] # groups are dataclasses
        if not use.has(item.name):
            continue
        annotation: Any = types[item.name]
        default = use.defaults.get(item.name, item.default)
        if get_origin(annotation) is tuple and get_args(annotation)[-1] is Ellipsis:
            if item.name in use.several or item.metadata["settings"].get("multiple"):
                annotation, default = list[str] | None, list(default) or None
            else:
                annotation, default = (str, default[0]) if default else (str | None, None)
        text = " ".join(filter(None, (item.metadata["help"], use.notes.get(item.name))))
        settings = {name: value for name, value in item.metadata["settings"].items() if name != "multiple"}
        origin: Any = next(group for group in kind.__mro__ if item.name in inspect.get_annotations(group))
        names = item.metadata["names"] or _flag(item.name, default)
        settings.setdefault("metavar", metavar_of(types[item.name], default))
        is_first = item.name in use.first or (item.metadata["first"] and item.name not in use.later)
        info = typer.Option(*names, help=text, rich_help_panel=origin.heading, hidden=not is_first, **settings)
        parameter = inspect.Parameter(item.name, _KEYWORD, default=default, annotation=Annotated[annotation, info])
        yield origin.last, parameter


def _flag(name: str, default: Any) -> tuple[str, ...]:
    """Return how an option is written that is False by default, or nothing for the usual form."""
    return (f"--{name.replace('_', '-')}",) if default is False else ()


def metavar_of(annotation: Any, default: Any) -> str | None:
    """Return what the help shows as the value of an option; None for a switch."""
    kinds = {annotation, *get_args(annotation)}
    if isinstance(default, bool) or bool in kinds:
        return None
    words = {Path: "FILE", int: "NUMBER", float: "NUMBER"}
    return next((word for kind, word in words.items() if kind in kinds), "TEXT")


def _group(kind: type[Group], use: Use, arguments: dict[str, Any]) -> Group:
    """Return a group of options, and remove its values from those that are given."""
    values: dict[str, Any] = {}
    for item in fields(kind):  # type: ignore[arg-type] # groups are dataclasses
        if not use.has(item.name):
            values[item.name] = use.defaults.get(item.name, item.default)
            continue
        value = arguments.pop(item.name)
        if isinstance(value, list):
            value = _SPLIT[item.metadata["settings"].get("multiple", True)](value)
        elif isinstance(item.default, tuple) and not isinstance(value, tuple):
            value = () if value is None else (value,)
        if isinstance(item.default, tuple):
            value = tuple(value) or item.default
        values[item.name] = value
    return kind(**values)


def listed(values: Sequence[str] | None) -> list[str]:
    """Return the names in options that may be repeated and may contain several names with commas, each name once.

    White space around commas is not part of a name. A value without a comma is a name as it is, because a column may be
    called " name". A name with a comma stands in double quotes, as in CSV.

    >>> listed(["f1, em", "f1", " name", ""]), listed(None), listed(['"answer,2"'])
    (['f1', 'em', ' name'], [], ['answer,2'])
    """
    cells = (csv.reader([value], skipinitialspace=True) if "," in value else [[value]] for value in values or ())
    names = (name.strip() if len(row) > 1 else name for rows in cells for row in rows for name in row)
    return list(dict.fromkeys(filter(None, names)))


def _names(values: Sequence[str]) -> list[str]:
    """Return the names between commas, each once. An empty name stays, so that it is reported as unknown."""
    return list(dict.fromkeys(name.strip() for value in values for name in value.split(",")))


_SPLIT: dict[Any, Callable[[Sequence[str]], Sequence[str]]] = {True: listed, "names": _names, "verbatim": tuple}


def refuse_given(context: typer.Context, names: Sequence[str], why: str) -> None:
    """Raise ValueError if one of these options is on the command line: it has no effect. ``why`` ends the message."""
    for name in names:
        if is_given(context, name):
            raise ValueError(f"{flag_of(context, name)} is given, but {why}")


def is_given(context: typer.Context, name: str) -> bool:
    """Return whether a parameter of the command is on the command line."""
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def flag_of(context: typer.Context, name: str) -> str:
    """Return how a parameter of the command is given on the command line, such as "--id"."""
    options = next((item.opts for item in context.command.params if item.name == name), [f"--{name}"])
    return next((option for option in options if option.startswith("--")), options[0])


class GroupedCommand(TyperCommand):
    """A command whose help shows its most used options, and with ``--help-all`` all of them under their headings."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments. With ``--help-all``, print all options and exit."""
        if _ALL in args:
            ctx.meta[_ALL] = True
            typer.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments and the options: the most used ones, or all by their groups."""
        is_all = _ALL in ctx.meta
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.params:
            is_argument = parameter.param_type_name == "argument"
            if is_all and not is_argument:
                parameter = copy(parameter)
                setattr(parameter, "hidden", False)  # noqa: B010 # of an option
            record = parameter.get_help_record(ctx)
            if record is not None:
                heading = (is_all and getattr(parameter, "rich_help_panel", None)) or "Options"
                sections.setdefault("Arguments" if is_argument else heading, []).append(record)
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write how to see the options that are not shown."""
        if (n := sum(bool(getattr(item, "hidden", False)) for item in self.params)) and _ALL not in ctx.meta:
            formatter.write_paragraph()
            formatter.write_text(f"{n} more options: {ctx.command_path} {_ALL}")


_ALL = "--help-all"
