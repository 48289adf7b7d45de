"""The folder of files that answersim keeps: fetched data and scores of networks."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from answersim._base.errors import NoHomeError

CACHE_VARIABLE = "ANSWERSIM_CACHE_DIR"


def cache_folder() -> Path:
    """Return the folder of fetched files: ``$ANSWERSIM_CACHE_DIR``, else the platform's folder for caches.

    That is the folder ``answersim`` in ``$XDG_CACHE_HOME`` or ``~/.cache``; on Windows, in ``%LOCALAPPDATA%``.
    """
    folder = os.environ.get(CACHE_VARIABLE)
    if folder:
        return Path(folder)
    variable, fallback = ("LOCALAPPDATA", "AppData/Local") if sys.platform == "win32" else ("XDG_CACHE_HOME", ".cache")
    base = os.environ.get(variable)
    # The XDG specification: a path that is not absolute is to be ignored.
    if base and Path(base).is_absolute():
        return Path(base) / "answersim"
    try:
        return Path.home() / fallback / "answersim"
    except RuntimeError as error:  # of pathlib
        raise NoHomeError(
            f"there is no home folder to keep files in ({str(error).rstrip('.')}); set ${CACHE_VARIABLE} to a folder"
        ) from None
