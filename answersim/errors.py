"""What can go wrong at the door: each error names the value, the rule and the way out."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


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
