"""Training checkpoints: the state of a training on disk, with a checksum, complete or absent, without pickle."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from answersim._base.runtime import locks

if TYPE_CHECKING:
    import torch

LOCK = "training.lock"
FILE = "training_checkpoint.safetensors"  # in the folder of a training
_KEY = "metadata"  # the one entry of the file
_MARK = "sha256:"  # the beginning of the entry
_locked: ContextVar[frozenset[Path]] = ContextVar("locked", default=frozenset())


class TrainingCheckpoint(NamedTuple):
    """Tensors by name, and metadata that JSON can represent."""

    tensors: dict[str, torch.Tensor]
    metadata: dict[str, Any]


def save(path: Path, tensors: Mapping[str, torch.Tensor], metadata: Mapping[str, Any]) -> None:
    """Write one safetensors file with a checksum, by way of ``<path>.new``. A killed process leaves the former file."""
    from safetensors.torch import save_file

    fresh = path.with_name(path.name + ".new")
    path.parent.mkdir(parents=True, exist_ok=True)
    plain = {name: tensor.detach().contiguous() for name, tensor in tensors.items()}
    text = json.dumps(dict(metadata))
    fresh.unlink(missing_ok=True)
    # One entry of metadata: safetensors writes several in an order that changes from process to process.
    save_file(plain, fresh, metadata={_KEY: f"{_MARK}{_digest(plain, text)}\n{text}"})
    with fresh.open("rb") as file:
        os.fsync(file.fileno())
    os.replace(fresh, path)


def load(path: Path) -> TrainingCheckpoint | None:
    """Return the training checkpoint at this path, or None if there is none. Raise ValueError if it is damaged."""
    from safetensors import SafetensorError, safe_open

    if not path.exists():
        return None
    try:
        with safe_open(path, framework="pt") as file:
            text = (file.metadata() or {})[_KEY]
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 # no dict
        if not text.startswith(_MARK):
            raise ValueError("its metadata begins with no checksum")
        stated, _, text = text.removeprefix(_MARK).partition("\n")
        if stated != (digest := _digest(tensors, text)):
            raise ValueError(f"its content has the SHA-256 {digest}, but was written with {stated}")
        metadata = json.loads(text)
        if not isinstance(metadata, dict):
            raise ValueError("its metadata is not a JSON object")
        return TrainingCheckpoint(tensors, metadata)
    except (SafetensorError, KeyError, ValueError, RecursionError) as error:
        raise ValueError(
            f"{path} is not a training checkpoint, or it is damaged ({error}); start over with --no-resume"
        ) from error


def is_foreign(path: Path) -> bool:
    """Return whether something here is no training checkpoint, damaged or not: it is another safetensors file."""
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        return os.path.lexists(path)
    try:
        with safe_open(path, framework="np") as file:
            return _KEY not in (file.metadata() or {})
    except SafetensorError:
        return False


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Create this folder and allow one training at a time in it, by the file ``training.lock``.

    Code that already holds the lock may enter again. A folder that was created here is removed if it is empty at the
    end.
    """
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    key = folder.resolve()
    if key in _locked.get():
        yield
        return
    try:
        with locks.locked(folder / LOCK, busy(folder)):
            token = _locked.set(_locked.get() | {key})
            try:
                yield
            finally:
                _locked.reset(token)
    finally:
        if is_new:
            with suppress(OSError):  # not empty
                folder.rmdir()


def busy(folder: Path) -> str:
    """Return the message if another training holds the lock of a folder."""
    return f"another training is running in this folder ({folder}); wait for it, or choose another --output"


def _digest(tensors: Mapping[str, torch.Tensor], metadata: str) -> str:
    """Return the SHA-256 of the metadata and of the name, type, shape and bytes of every tensor."""
    import torch

    digest = hashlib.sha256(metadata.encode())
    for name, tensor in sorted(tensors.items()):
        digest.update(f"\0{name}\0{tensor.dtype}\0{tuple(tensor.shape)}\0".encode())
        digest.update(tensor.cpu().reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
