"""Run a training without side effects on the process: random states, precision of accelerate, messages of libraries."""

from __future__ import annotations

import os
import random
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

_PRECISION = "ACCELERATE_MIXED_PRECISION"


@contextmanager
def isolated(seed: int, precision: str) -> Iterator[None]:
    """Run the block with random states of this seed, accelerate in this precision, and quiet libraries.

    All of these are restored after the block.
    """
    with quiet_libraries(), _random_states(seed), _accelerate_precision(precision):
        yield


@contextmanager
def quiet_libraries() -> Iterator[None]:
    """Suppress progress bars for loading, the message that the classifier is new, and one warning of peft."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            # peft 0.21 asks transformers 5 for a property by its former name.
            warnings.filterwarnings("ignore", "`is_gradient_checkpointing`", FutureWarning)
            yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


@contextmanager
def _random_states(seed: int) -> Iterator[None]:
    """Seed torch, and restore all random states at the end: the trainer sets them."""
    import torch

    python, numpy = random.getstate(), np.random.get_state()  # noqa: NPY002 # not drawn from, but put back
    devices = range(torch.cuda.device_count()) if torch.cuda.is_available() else []
    try:
        with torch.random.fork_rng(devices=devices):
            torch.manual_seed(seed)
            yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy)  # noqa: NPY002


@contextmanager
def _accelerate_precision(precision: str) -> Iterator[None]:
    """Set the environment variable from which accelerate reads the precision, and restore it.

    transformers 4 sets it for bf16 and leaves it so for all later trainings.
    """
    before = os.environ.get(_PRECISION)
    os.environ[_PRECISION] = "bf16" if precision == "bf16" else "no"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(_PRECISION, None)
        else:
            os.environ[_PRECISION] = before
