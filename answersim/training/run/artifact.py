"""The result of a training: an adapter in the format of peft, and the recipe.json that pins its files."""

from __future__ import annotations

import json
import math
import os
import platform
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from answersim._base.errors import MissingExtraError
from answersim._base.runtime import training_checkpoints
from answersim._base.runtime.training_checkpoints import TrainingCheckpoint
from answersim.metrics.checkpoints import adapter, search
from answersim.training.run.recipe import BaseRecipe

if TYPE_CHECKING:
    import torch

BASE = "sentence-transformers/all-MiniLM-L6-v2"
MODULES = tuple("torch transformers sentence_transformers accelerate datasets peft safetensors".split())  # are needed
INTERRUPTED = 130  # the exit status of a command
LIBRARIES = (*(name.replace("_", "-") for name in MODULES), "tokenizers", "numpy")  # whose versions are recorded


def write_adapter(settings: Any, tensors: Mapping[str, torch.Tensor], base_name: str, folder: Path) -> None:
    """Write the two files of peft, with finite fp16 tensors, without a model card and without paths of this machine."""
    import torch
    from safetensors.torch import save

    half = {name: tensor.detach().to("cpu", torch.float16).contiguous() for name, tensor in sorted(tensors.items())}
    check_finite(half, "the adapter in fp16")
    # Not save_file, whose files only their owner can read: a package built from this folder would keep these
    # permissions.
    (folder / adapter.WEIGHTS).write_bytes(save(half, metadata={"format": "pt"}))
    config = replace(settings, inference_mode=True, base_model_name_or_path=base_name).to_dict()
    # peft keeps these names as sets, whose order changes from one process to the next.
    config |= {key: sorted(set(config[key])) for key in ("target_modules", "modules_to_save") if config[key]}
    (folder / adapter.CONFIG).write_text(json.dumps(config, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def write_recipe(metadata: Mapping[str, Any], folder: Path, files: Iterable[str], libraries: Iterable[str]) -> None:
    """Write metadata, machine and versions to ``recipe.json``, completely and last, and pin files of the folder."""
    whole = {
        **metadata,
        "machine": machine(),
        "versions": {"python": platform.python_version()} | {name: version(name) for name in libraries},
        "sha256": {name: search.sha256(folder / name) for name in files},
    }
    fresh = folder / f"{adapter.RECIPE}.new"
    fresh.write_text(json.dumps(whole, indent=2) + "\n", encoding="utf-8")
    os.replace(fresh, folder / adapter.RECIPE)


def machine() -> dict[str, Any]:
    """Return the properties of this machine that can change digits or durations."""
    import torch

    return {
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "architecture": platform.machine(),
        "vectors": torch.backends.cpu.get_cpu_capability(),
    } | ({"gpu": torch.cuda.get_device_name()} if torch.cuda.is_available() else {})


def check_same_training(metadata: Mapping[str, Any], identity: Mapping[str, Any], path: Path) -> None:
    """Check that a training checkpoint is of the training with this identity. Raise ValueError if not."""
    for section, expected in identity.items():
        saved = metadata.get(section, {})
        for key in sorted(expected.keys() | saved.keys()):
            if saved.get(key) != expected.get(key):
                raise ValueError(
                    f"{path} is of a training with another {section}: {key} was {saved.get(key)!r} and is "
                    f"{expected.get(key)!r} now; start over with --no-resume, or choose another --output"
                )


@contextmanager
def resumable(
    recipe: BaseRecipe, output: Path, identity: Mapping[str, Any], resume: bool
) -> Iterator[tuple[TrainingCheckpoint | None, Callable[[Mapping[str, torch.Tensor], Mapping[str, Any]], None], Path]]:
    """Yield the training checkpoint to resume, a function that saves the next one, and a folder for the libraries."""
    path = output / training_checkpoints.FILE
    saved = training_checkpoints.load(path) if resume else None
    if saved:
        check_same_training(saved.metadata, identity, path)

    def save(tensors: Mapping[str, torch.Tensor], metadata: Mapping[str, Any]) -> None:
        training_checkpoints.save(path, tensors, {**metadata, **identity})

    with quiet_libraries(), tempfile.TemporaryDirectory() as scratch:
        begin(recipe.seed, recipe.precision)
        yield saved, save, Path(scratch)


def begin(seed: int, precision: str) -> None:
    """Seed torch, and set the precision of accelerate, which transformers 4 leaves at bf16 for all later trainings."""
    import torch

    torch.manual_seed(seed)
    os.environ["ACCELERATE_MIXED_PRECISION"] = "bf16" if precision == "bf16" else "no"


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


def need_libraries(purpose: str, names: Iterable[str]) -> None:
    """Check that all of these modules can be imported. Raise MissingExtraError if one of them cannot be imported."""
    for name in names:
        try:
            __import__(name)
        except ImportError as error:
            raise MissingExtraError(purpose, "train", name) from error


def log(line: str) -> None:
    """Print a line, above a progress bar if one is shown."""
    from tqdm import tqdm

    tqdm.write(line)


@contextmanager
def interruptible() -> Iterator[None]:
    """End the command with a line and its own status if the user interrupts the training."""
    try:
        yield
    except KeyboardInterrupt:
        log("interrupted; the same command resumes the training")
        raise SystemExit(INTERRUPTED) from None


_REMEDY = "the training diverged, and this state is not written; lower the learning rate, or check the base"


def check_finite(tensors: Mapping[str, torch.Tensor], content: str) -> None:
    """Check that all values are finite. Raise ValueError if a value is not finite."""
    for name, tensor in tensors.items():
        if not tensor.isfinite().all():
            raise ValueError(f"{content}: {name} has values that are not finite; {_REMEDY}")


def check_loss(loss: float, step: int) -> None:
    """Check that the loss of this step, counted from 1, is finite. Raise ValueError if not."""
    if not math.isfinite(loss):
        raise ValueError(f"the loss of step {step} is {loss}; {_REMEDY}")
