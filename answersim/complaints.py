"""What the command line says when something is wrong: one line a complaint, and the exit status."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer


@contextmanager
def complaints(program: str = "answersim") -> Iterator[None]:
    """Within it, what a user can mend becomes one line on stderr and exit status 2, and a warning one line, once.

    Args:
        program: Whose complaint it is: the first word of each line.
    """
    shown: Callable[..., None] = warnings.showwarning
    told: set[str] = set()

    def say(message: Warning | Exception | str, *_: object, **__: object) -> None:
        line = said(message)
        if line not in told:
            typer.echo(f"{program}: {line}", err=True)
        told.add(line)

    warnings.showwarning = say
    try:
        yield
    except BrokenPipeError:
        raise  # whoever read our output has had enough; click ends quietly
    except (LookupError, ValueError, TypeError, OSError, ImportError) as error:
        say(error)
        sys.exit(2)
    finally:
        warnings.showwarning = shown


def said(message: Warning | Exception | str) -> str:
    """An error or a warning in one line."""
    text = str(message)
    if isinstance(message, OSError) and message.strerror:
        text = f"{message.filename}: {message.strerror}" if message.filename else message.strerror
    return " ".join(line.strip() for line in text.splitlines() if line.strip()) or type(message).__name__
