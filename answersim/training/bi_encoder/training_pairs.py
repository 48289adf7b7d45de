"""The file of pairs that trains a bi-encoder by default, and the one process that prepares pairs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NAMES = Path("names/name_pairs_score_split.csv")  # the file of the paper, below $ANSWERSIM_DATA


def default_file() -> Path:
    """Return the file of name pairs of the paper below ``$ANSWERSIM_DATA``, or raise a FileNotFoundError."""
    home = os.environ.get("ANSWERSIM_DATA")
    path = Path(home or "") / NAMES
    if not home or not path.is_file():
        raise FileNotFoundError(
            f"no name pairs: {f'there is no {path}' if home else '$ANSWERSIM_DATA is not set'}; put the file "
            f"{NAMES.name} of the paper there, or name a file of pairs with --pairs"
        )
    return path


@contextmanager
def first_alone() -> Iterator[None]:
    """Let the first process under torchrun run alone and the others after it, so that they read its results."""
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        yield
        return
    import torch
    from accelerate import PartialState

    with PartialState(cpu=not torch.cuda.is_available()).main_process_first():
        yield
