"""What can go wrong at the door: each error names the value, the rule and the way out."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable
from difflib import get_close_matches
from threading import Lock

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_told: set[tuple[str, str, int]] = set()  # message, file and line of each warning that is given once a place
_telling = Lock()


class MissingExtraError(ImportError):
    """A part of the package was asked for whose optional dependencies are not installed."""

    def __init__(self, what: str, extra: str, missing: str) -> None:
        super().__init__(
            f"{what} needs {missing!r}, which is not installed; "
            f"it comes with the extra {extra!r}: pip install 'answersim[{extra}]'",
            name=missing,
        )


class CheckpointNotFoundError(LookupError):
    """No place that was tried holds the weights of this name."""


class ChecksumError(ValueError):
    """A file was found, but its SHA-256 is not the one that is pinned for it."""


class NoHomeError(FileNotFoundError):
    """A path is below the home folder of the user, but there is none: no $HOME and no entry for the user."""


class PluginError(ValueError):
    """An installed plug-in does not keep the contract of ``answersim.catalog``; the message names it."""


class TruncationWarning(UserWarning):
    """Some texts were longer than the encoder can read, and were scored by their beginning only."""


class LanguageWarning(UserWarning):
    """The weights behind a metric were not made for the language of the answers."""


def unknown(kind: str, name: object, known: Iterable[str]) -> LookupError:
    """The error for a name that is not in a catalogue, with the nearest known ones.

    >>> unknown("metric", "bertscor", ["f1", "bertscore-trained"])
    LookupError("no metric is called 'bertscor'; did you mean 'bertscore-trained'? Known: bertscore-trained, f1")
    """
    known = sorted(known)
    near = get_close_matches(str(name), known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return LookupError(f"no {kind} is called {name!r}; {hint}Known: {', '.join(known)}")


def warn_user(message: str, category: type[Warning], *, once: bool = False) -> None:
    """Warn as if the first line outside of this package that led here had done so.

    Args:
        message: What is wrong, and what to do.
        category: The class of the warning.
        once: Whether the same message is given only once for each line of the caller. Python's own memory of that is
            lost whenever any library changes the warning filters, so that a loop would be warned again and again.
    """
    depth, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        depth, frame = depth + 1, frame.f_back
    place = (message, frame.f_code.co_filename, frame.f_lineno)
    with _telling:
        if once and place in _told:
            return
    warnings.warn(message, category, stacklevel=depth)
    with _telling:  # not before: a filter may have made an error of it, which is to be raised again
        if once:
            _told.add(place)
