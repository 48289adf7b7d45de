"""Folders of trained rankers: whether a folder or a published name contains one, without loading it or torch."""

from __future__ import annotations

import os
from pathlib import Path

from answersim.metrics.checkpoints import search

CONFIG = "config.json"  # the file with the settings of a ranker


def is_ranker(name: str) -> bool:
    """Return whether this folder or published name contains a ranker, and not only the weights of an encoder."""
    config = (published_folder(name) or Path(name)) / CONFIG
    return config.is_file() and {"kind", "words"} <= search.read_json(config).keys()


def published_folder(name: str) -> Path | None:
    """Return the local folder that is published under this name, or None if there is none or the name is a path.

    The network is not used.
    """
    if Path(name).is_dir() or Path(name).is_absolute() or name.startswith((".", "~")):
        return None
    home = os.environ.get(search.MODELS_VARIABLE)
    is_here = bool(home) and search.has_weights(Path(str(home)) / name)
    return search.find(name, network=False).folder if is_here else None
