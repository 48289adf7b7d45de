"""The state of a training run on disk: there whole or not at all, and read back without pickle."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import torch


class Snapshot(NamedTuple):
    """Tensors by name, and facts that fit into JSON."""

    tensors: dict[str, torch.Tensor]
    facts: dict[str, Any]


def save(path: Path, tensors: Mapping[str, torch.Tensor], facts: Mapping[str, Any]) -> None:
    """Put these into one safetensors file; a process killed meanwhile leaves the file that was there before."""
    from safetensors.torch import save_file

    fresh = path.with_name(path.name + ".new")
    path.parent.mkdir(parents=True, exist_ok=True)
    plain = {name: tensor.detach().contiguous() for name, tensor in tensors.items()}
    save_file(plain, fresh, metadata={"facts": json.dumps(dict(facts))})
    with fresh.open("rb") as file:
        os.fsync(file.fileno())
    os.replace(fresh, path)


def load(path: Path) -> Snapshot | None:
    """The snapshot at this path; None where there is none.

    Raises:
        ValueError: The file is no snapshot; names the file and the way out.
    """
    from safetensors import SafetensorError, safe_open

    if not path.exists():
        return None
    try:
        with safe_open(path, framework="pt") as file:
            facts = json.loads((file.metadata() or {})["facts"])
            return Snapshot({name: file.get_tensor(name) for name in file.keys()}, facts)  # noqa: SIM118 # no dict
    except (SafetensorError, KeyError, ValueError) as error:
        raise ValueError(
            f"{path} is not a snapshot of a training run ({error}); start anew with --no-resume"
        ) from error
