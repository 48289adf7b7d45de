"""The common parts of the adapters: the form of a metric, and how libraries and local weights are found."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any, NamedTuple, TypeAlias

from answersim.arguments import text
from answersim.checkpoints.search import find
from answersim.errors import unknown

Gold: TypeAlias = "str | list[str]"
ScoreFunction: TypeAlias = Callable[[list[Any], list[str], "list[str] | None"], Any]


class Adapted(NamedTuple):
    """A metric of another library."""

    # takes the gold answers, the predictions and the questions (None for none), one entry per pair, and returns one
    # number per pair. With ``references``, a gold answer may be a list of strings.
    function: ScoreFunction
    # whether the library accepts several gold answers for one prediction; None if it is not known
    references: bool | None = False
    questions: bool = False  # whether the metric reads questions


def imported(module: str, install: str) -> ModuleType:
    """Import a module of a library.

    Raise ModuleNotFoundError if the library is not installed, ImportError if a package that the library needs is
    missing or broken.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        top = module.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != top:
            raise ImportError(f"{top} is installed but cannot be imported: {error}; pip install '{install}'") from error
        raise ModuleNotFoundError(
            f"the adapter of {top} needs {top!r}, which is not installed; pip install '{install}'", name=top
        ) from error


def one_of(library: str, what: str, known: Iterable[str]) -> str:
    """Return the name of a metric of a library. Raise LookupError if the adapter has no such metric."""
    names = list(known)
    if what not in names:
        raise unknown(f"metric of {library} that the adapter supports", what, names)
    return what


def local_weights(settings: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return the settings with the name of a checkpoint replaced by its folder on this machine.

    A name that is not found here stays, and the library searches for it itself. Raise TypeError if the setting is
    missing.
    """
    if key not in settings:
        raise TypeError(f"the setting {key}= is missing; name the weights, such as {key}=all-MiniLM-L6-v2, or a folder")
    name = text(key, settings[key], "all-MiniLM-L6-v2")
    try:
        return {**settings, key: str(find(name, network=False).folder)}
    except (LookupError, ImportError, ValueError):
        return dict(settings)


def refuse_settings(library: str, what: str, settings: Mapping[str, Any], known: Iterable[str] = ()) -> None:
    """Raise TypeError if a setting is given that this metric does not have."""
    names = list(known)
    if wrong := [name for name in settings if name not in names]:
        has = f"its settings are {', '.join(names)}" if names else "it has none"
        raise TypeError(f"{library}:{what} has no setting {wrong[0]!r}; {has}")


def each(score: Callable[[Any, str], Any]) -> ScoreFunction:
    """Return a function of lists from a function of one gold answer and one prediction.

    >>> each(lambda gold, pred: gold == pred)(["a", "b"], ["a", "c"], None)
    [1.0, 0.0]
    """

    def function(golds: list[Any], preds: list[str], questions: list[str] | None) -> list[float]:
        return [float(score(gold, pred)) for gold, pred in zip(golds, preds, strict=True)]

    return function
