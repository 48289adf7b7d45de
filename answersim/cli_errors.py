"""What the command line says when something is wrong: one line a complaint, and the exit status."""

from __future__ import annotations

import errno
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

import typer

# What a user can mend. Whatever else is raised is a fault of ours, and its traceback says where.
_MENDABLE = (
    LookupError,
    ValueError,
    TypeError,
    OSError,
    ImportError,
    EOFError,
    OverflowError,
    MemoryError,
    RecursionError,
)
_INTERRUPTED, _BROKEN_PIPE = 130, 141  # the statuses that a shell gives to a program that SIGINT or SIGPIPE ends


@contextmanager
def user_errors(program: str = "answersim") -> Iterator[None]:
    """Turn what a user can mend into one line on stderr and exit status 2, and print each warning once, in one line.

    Ctrl-C ends with status 130. A reader of our output that has had enough, such as ``head``, ends the command quietly
    with status 141. It is never 1, which is a result of ``answersim verify``.

    Args:
        program: The first word of each line.
    """
    shown: Callable[..., None] = warnings.showwarning
    told: set[str] = set()

    def say(message: Warning | BaseException | str, *_: object, **__: object) -> None:
        line = said(message)
        if line not in told:
            with suppress(OSError):  # standard error is full or closed; the exit status still says it
                typer.echo(f"{program}: {line}", err=True)
        told.add(line)

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
        _end(say, error)
    except RuntimeError as error:
        # The first is torch's, which is not imported for this; the second is pathlib's before Python 3.13.
        if type(error).__name__ != "OutOfMemoryError" and not str(error).startswith("Symlink loop"):
            raise
        _end(say, error)
    finally:
        warnings.showwarning = shown


def _end(say: Callable[..., None], error: Exception) -> NoReturn:
    say(error)
    if isinstance(error, OSError) and error.errno == errno.ENOSPC and error.filename is None:
        _drop_output()  # it may be what is full, and Python would complain again when it ends
    sys.exit(2)


def _drop_output() -> None:
    """Let nothing more be written to standard output, so that Python does not fail to flush it when it ends."""
    with suppress(OSError, ValueError, AttributeError):  # it is closed, or no file of the system
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


def said(message: Warning | BaseException | str) -> str:
    """Return an error or a warning in one line."""
    text = str(message)
    if isinstance(message, OSError) and message.strerror:
        text = f"{message.filename}: {message.strerror}" if message.filename else message.strerror
    elif isinstance(message, MemoryError) or type(message).__name__ == "OutOfMemoryError":
        text = f"there is not enough memory ({text or 'no more is given'}); give less at a time, or a smaller model"
    elif isinstance(message, RecursionError):
        text = "something in the input is nested too deeply; flatten it"
    return " ".join(line.strip() for line in text.splitlines() if line.strip()) or type(message).__name__
