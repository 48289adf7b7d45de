"""What training leaves behind: an adapter in peft's format, how well it does, and the recipe that pins its files."""

from __future__ import annotations

import json
import os
import platform
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from answersim import checkpoints
from answersim.errors import MissingExtraError
from answersim.neural import adapter
from answersim.training.cross_encoder.trainer import agreement
from answersim.training.divergence import check_finite
from answersim.types import FloatArray

if TYPE_CHECKING:
    import torch

MOST_THREADS = 1024  # so many more that the system refuses them end the process


def write_adapter(settings: Any, tensors: Mapping[str, torch.Tensor], base_name: str, folder: Path) -> None:
    """Peft's own two files, with fp16 tensors; not its model card, and no path of this machine.

    Args:
        settings: The ``LoraConfig`` of the adapter.
        tensors: By peft's names, which open with ``base_model.model.``.
        base_name: What the adapter was trained on, as others can find it.
        folder: Must be there.

    Raises:
        ValueError: If a tensor has a value that is not finite in fp16.
    """
    import torch
    from safetensors.torch import save

    half = {name: tensor.detach().to("cpu", torch.float16).contiguous() for name, tensor in sorted(tensors.items())}
    check_finite(half, "the adapter in fp16")
    # Not save_file, whose files only their owner may read: a package made of this folder would keep that.
    (folder / adapter.WEIGHTS).write_bytes(save(half, metadata={"format": "pt"}))
    config = replace(settings, inference_mode=True, base_model_name_or_path=base_name).to_dict()
    # peft keeps these names as sets, whose order changes from one process to the next.
    config |= {key: sorted(set(config[key])) for key in ("target_modules", "modules_to_save") if config[key]}
    (folder / adapter.CONFIG).write_text(json.dumps(config, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def write_recipe(story: Mapping[str, Any], folder: Path, files: Iterable[str], libraries: Iterable[str]) -> None:
    """The story of a training run in ``recipe.json``, with machine and versions, pinning these files of the folder.

    It is there whole or not at all, and should come last: it says that the folder is finished.
    """
    whole = {
        **story,
        "machine": machine(),
        "versions": {"python": platform.python_version()} | {name: version(name) for name in libraries},
        "sha256": {name: checkpoints.sha256(folder / name) for name in files},
    }
    fresh = folder / f"{adapter.RECIPE}.new"
    fresh.write_text(json.dumps(whole, indent=2) + "\n", encoding="utf-8")
    os.replace(fresh, folder / adapter.RECIPE)


def held_out(scores: FloatArray, labels: FloatArray, resamples: int = 2000) -> dict[str, Any]:
    """Pearson and Spearman of scores with labels, with 95 % percentile bootstrap intervals over pairs."""
    draws = np.random.default_rng(0).integers(len(labels), size=(resamples, len(labels)))
    ends = np.quantile(agreement(scores[draws], labels[draws]), [0.025, 0.975], axis=1)  # (2 ends, 2 coefficients)
    values = {name: round(float(value), 4) for name, value in agreement(scores, labels)._asdict().items()}
    return values | {f"{name}_95": ends[:, i].round(4).tolist() for i, name in enumerate(values)}


def machine() -> dict[str, Any]:
    """What of this machine can change digits or seconds."""
    import torch

    return {
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "architecture": platform.machine(),
        "vectors": torch.backends.cpu.get_cpu_capability(),
    } | ({"gpu": torch.cuda.get_device_name()} if torch.cuda.is_available() else {})


def check_same_run(facts: Mapping[str, Any], identity: Mapping[str, Any], path: Path) -> None:
    """Nothing, where these facts of a snapshot are of the run with this identity; else a ValueError naming what not."""
    for part, wanted in identity.items():
        found = facts.get(part, {})
        for key in sorted(wanted.keys() | found.keys()):
            if found.get(key) != wanted.get(key):
                raise ValueError(
                    f"{path} is of a run with another {part}: {key} was {found.get(key)!r} and is {wanted.get(key)!r} "
                    "now; start anew with --no-resume, or choose another --output"
                )


def check_threads(threads: int | None) -> None:
    """Check a number of threads for torch; None is its own choice.

    Raises:
        ValueError: If it is out of range.
    """
    if threads is not None and not 1 <= threads <= MOST_THREADS:
        raise ValueError(f"--threads is {threads}, but one at least is needed, and {MOST_THREADS} at most")


def need_libraries(what: str, names: Iterable[str]) -> None:
    """Nothing, where all of these can be imported; else a MissingExtraError."""
    for name in names:
        try:
            __import__(name)
        except ImportError as error:
            raise MissingExtraError(what, "train", name) from error


@contextmanager
def quiet_libraries() -> Iterator[None]:
    """Without the report that the classifier is new, which is the point here, bars for loading, and one warning."""
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


def say(line: str) -> None:
    """Print a line, above a bar where one is shown."""
    from tqdm import tqdm

    tqdm.write(line)
