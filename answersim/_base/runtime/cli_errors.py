"""Errors and warnings on the command line: one line per message, and the exit status."""

from __future__ import annotations

import errno
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

import typer

from answersim._base.errors import MissingExtraError

# Errors that a user can correct. Any other exception is a bug, and its traceback is printed.
_SYSTEM = (OSError, ImportError, EOFError, OverflowError, MemoryError, RecursionError)
_MENDABLE = (LookupError, ValueError, TypeError, *_SYSTEM)
_OF_EXTRAS = {"torch": "neural", "transformers": "neural", "ir_measures": "rankers"}  # the extra of a missing module
_INTERRUPTED, _BROKEN_PIPE = 130, 141  # the statuses that a shell gives to a program that SIGINT or SIGPIPE ends


@contextmanager
def user_errors(program: str = "answersim") -> Iterator[None]:
    """Print an error that a user can correct in one line on stderr, with exit status 2, and each warning once.

    Ctrl-C ends with status 130. If the reader of the output stops reading, such as ``head``, the command ends quietly
    with status 141. The status is never 1.
    """
    show_warning: Callable[..., None] = warnings.showwarning
    printed: set[str] = set()

    def say(message: Warning | BaseException | str, *_: object, **__: object) -> None:
        line = one_line(message)
        if line not in printed:
            with suppress(OSError):  # standard error is full or closed; the exit status still reports it
                typer.echo(f"{program}: {line}", err=True)
        printed.add(line)

    warnings.showwarning = say
    try:
        yield
    except BrokenPipeError:
        _drop_output()
        sys.exit(_BROKEN_PIPE)
    except KeyboardInterrupt:
        say("interrupted")
        sys.exit(_INTERRUPTED)
    except _MENDABLE as error:
        if type(error) is ModuleNotFoundError and error.name in _OF_EXTRAS:
            _end(say, MissingExtraError("this command", _OF_EXTRAS[error.name], error.name))
        _end(say, error)
    except RuntimeError as error:
        # The first is an error of torch, which is not imported for this; the second one of pathlib before Python 3.13.
        if type(error).__name__ != "OutOfMemoryError" and not str(error).startswith("Symlink loop"):
            raise
        _end(say, error)
    finally:
        warnings.showwarning = show_warning


def _end(say: Callable[..., None], error: Exception) -> NoReturn:
    say(error)
    if isinstance(error, OSError) and error.errno == errno.ENOSPC and error.filename is None:
        _drop_output()  # standard output may be full, and Python would report that again when it ends
    sys.exit(2)


def _drop_output() -> None:
    """Redirect standard output to the null device, so that Python does not fail to flush it when it ends."""
    with suppress(OSError, ValueError, AttributeError):  # it is closed, or has no file descriptor
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


def one_line(message: Warning | BaseException | str) -> str:
    """Return an error or a warning in one line."""
    text = str(message)
    if isinstance(message, OSError) and message.strerror:
        text = f"{message.filename}: {message.strerror}" if message.filename else message.strerror
    elif isinstance(message, MemoryError) or type(message).__name__ == "OutOfMemoryError":
        text = (
            f"there is not enough memory ({text or 'the system gives no more'}); use smaller batches, fewer rows or a "
            "smaller model"
        )
    elif isinstance(message, RecursionError):
        text = "something in the input is nested too deeply; flatten it"
    return " ".join(line.strip() for line in text.splitlines() if line.strip()) or type(message).__name__
