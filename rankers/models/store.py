"""Trained networks as folders: save them, and load them by the path or the published name of a folder."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from answersim._base import arguments
from answersim._base.errors import CheckpointNotFoundError, ChecksumError
from answersim._base.io import records
from answersim._base.io.output_files import atomic_write
from answersim.metrics.checkpoints import search
from answersim.metrics.checkpoints.search import read_json
from rankers.models import neural_ranker
from rankers.models.folders import CONFIG, published_folder
from rankers.models.neural_ranker import NeuralRanker, build, check_finite, put_weights, weights
from rankers.modules import local_checkpoints, words
from rankers.modules.scoring import Lengths
from rankers.modules.words import InputConfig, Inputs
from rankers.settings import to_json

WEIGHTS = "model.safetensors"


def save(ranker: NeuralRanker, folder: Path) -> None:
    """Save a ranker as a folder: config.json, model.safetensors, and its words if those were learned.

    Raise ValueError if a weight is not a finite number: such a ranker cannot score.
    """
    from safetensors.torch import save_file

    check_finite(weights(ranker.network), f"the {ranker.kind} ranker for {folder}")
    folder.mkdir(parents=True, exist_ok=True)
    words.save(ranker.inputs, folder)
    with atomic_write(folder / WEIGHTS) as draft:
        save_file(weights(ranker.network), draft)
    config = {
        "kind": ranker.kind,
        "settings": to_json(ranker.settings),
        "words": to_json(ranker.inputs.config) | {"fingerprint": ranker.inputs.fingerprint},
        "lengths": ranker.lengths._asdict(),
        "signature": ranker.signature,
        "provenance": dict(ranker.provenance),
    }
    with atomic_write(folder / CONFIG) as draft:
        draft.write_text(json.dumps(config, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def load(folder: str | os.PathLike[str], device: torch.device | None = None) -> NeuralRanker:
    """Return the ranker in this folder, as ``save`` or ``rankers.systems.publishing.publish`` wrote it, on a device.

    A name that is not a folder is that of a published ranker: ``$ANSWERSIM_MODELS/<name>``. The network is not used: a
    checkpoint that the ranker needs must be on this machine.
    """
    name = arguments.path("folder", folder)
    folder = published_folder(name) or Path(name)
    if not folder.is_dir():
        raise FileNotFoundError(
            f"there is no folder {folder}, and no published ranker of this name in ${search.MODELS_VARIABLE} "
            f"({os.environ.get(search.MODELS_VARIABLE) or 'not set'}): check the path, or "
            f"publish one with 'rankers publish'"
        )
    if not (folder / CONFIG).is_file():
        raise FileNotFoundError(f"{folder} contains no ranker: it has no {CONFIG}; give the folder of a saved ranker")
    config = read_json(folder / CONFIG)
    with local_checkpoints.no_network(), _described(folder / CONFIG):
        ranker = _built(folder, config)
    if ranker.signature != config["signature"]:
        raise ValueError(
            f"{folder} was saved as {config['signature']!r}, but the folder contains {ranker.signature!r}: its "
            f"weights or words were changed; train it again"
        )
    if device is not None:
        ranker.network.to(device)  # built here, so no other code holds it
    return ranker


def _built(folder: Path, config: Mapping[str, Any]) -> NeuralRanker:
    """Return the ranker that these settings and the files beside them describe."""
    stated = {name: config[name] for name in ("kind", "settings", "words", "lengths", "signature", "provenance")}
    for name, value in stated.items():
        expected: type = str if name in ("kind", "signature") else dict
        if not isinstance(value, expected):
            raise TypeError(f"{name} is {value!r:.60}, but it must be {'text' if expected is str else 'an object'}")
    kind, words_config = (
        stated["kind"],
        {name: value for name, value in stated["words"].items() if name != "fingerprint"},
    )
    lengths = records.from_json(Lengths, stated["lengths"], "lengths")
    if min(lengths) < 1:
        raise ValueError(f"lengths are {tuple(lengths)}, but each must be at least 1")
    settings = neural_ranker.from_json(kind, stated["settings"])
    tensors = words.tensors(folder / WEIGHTS)
    inputs = words.load(records.from_json(InputConfig, words_config, "words"), folder)
    _check_shapes(kind, settings, inputs, tensors, folder)
    network = build(kind, settings, inputs, seed=0)
    put_weights(network, tensors, folder / WEIGHTS, folder / CONFIG)
    return NeuralRanker(kind, settings, inputs, lengths, network, stated["provenance"])


def _check_shapes(kind: str, settings: Any, inputs: Inputs, tensors: Mapping[str, Tensor], folder: Path) -> None:
    """Check that the weights fit a network with these settings, before anything of the stated size is allocated.

    A network on a pre-trained encoder takes its size from the encoder.
    """
    if hasattr(settings, "checkpoint"):
        return
    with torch.device("meta"):
        shapes = {
            name: tensor.shape
            for name, tensor in neural_ranker.network(kind)(settings, inputs.embedding()).state_dict().items()
        }
    for name in sorted({*shapes, *tensors}):
        ours, theirs = shapes.get(name), tensors[name].shape if name in tensors else None
        if ours != theirs:
            shown = [f"{list(shape)} numbers" if shape is not None else "none" for shape in (theirs, ours)]
            raise ValueError(
                f"{folder / WEIGHTS} does not fit {folder / CONFIG} (it has {shown[0]} for {name!r}, but its settings "
                f"need {shown[1]}); train it again"
            )


@contextmanager
def _described(path: Path) -> Iterator[None]:
    """Convert the errors of invalid settings to a ValueError that names their file."""
    try:
        yield
    except (CheckpointNotFoundError, ImportError, OSError):
        raise
    except ValueError as error:
        if str(path.parent) in str(error) or isinstance(error, ChecksumError):
            raise
        raise ValueError(f"{path} does not describe a ranker that can be built: {error}") from error
    except (LookupError, TypeError, AttributeError, RuntimeError, ArithmeticError, AssertionError) as error:
        reason = f"there is no {error}" if isinstance(error, KeyError) else str(error) or type(error).__name__
        raise ValueError(
            f"{path} does not describe a ranker that can be built: {reason[:300]}; train it again, or copy its folder "
            "again"
        ) from error
