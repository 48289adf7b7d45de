"""Training checkpoints: the state of a training on disk, with a checksum, complete or absent, without pickle."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from answersim.runtime import locks

if TYPE_CHECKING:
    import torch

LOCK = "training.lock"
FILE = "training_checkpoint.safetensors"  # in the folder of a training
OLD_FILE = "snapshot.safetensors"  # its name in versions up to 0.2, which is still read
_KEY, _OLD_KEY = "metadata", "facts"  # the one entry of the file; the old one was written by versions up to 0.2
_MARK = "sha256:"  # the beginning of the metadata; if it is missing, an earlier version wrote the file
_locked: ContextVar[frozenset[Path]] = ContextVar("locked", default=frozenset())


class TrainingCheckpoint(NamedTuple):
    """Tensors by name, and metadata that JSON can represent."""

    tensors: dict[str, torch.Tensor]
    metadata: dict[str, Any]


def save(path: Path, tensors: Mapping[str, torch.Tensor], metadata: Mapping[str, Any]) -> None:
    """Write one safetensors file with a checksum. A process killed meanwhile leaves the previous file.

    A training checkpoint of the former name beside a file called ``FILE`` is removed, because the new one replaces it.

    Args:
        path: The file. ``<path>.new`` beside it is replaced, and a link of that name is not followed.
        tensors: By name.
        metadata: The further state of the training, as JSON values.
    """
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
    former = _former(path)
    if former is not None and os.path.lexists(former) and not is_foreign(former):
        former.unlink()


def load(path: Path) -> TrainingCheckpoint | None:
    """Return the training checkpoint at this path, or None if there is none.

    If the path ends in ``FILE`` and does not exist, a file of the former name beside it is read.
    A file of an earlier version has no checksum. It is read with a warning, because damage to it cannot be detected.

    Raises:
        ValueError: If the file is not a training checkpoint, or its content does not have the checksum it was written
            with. The message names the file and the remedy.
    """
    from safetensors import SafetensorError

    path = existing(path)
    if not path.exists():
        return None
    try:
        return _read(path)
    except (SafetensorError, KeyError, ValueError, RecursionError) as error:
        raise ValueError(
            f"{path} is not a training checkpoint, or it is damaged ({error}); start over with --no-resume"
        ) from error


def existing(path: Path) -> Path:
    """Return this path, or the file of the former name beside it if only that one exists.

    >>> existing(Path("absent") / FILE).name
    'training_checkpoint.safetensors'
    """
    former = _former(path)
    return former if former is not None and not os.path.lexists(path) and os.path.lexists(former) else path


def _former(path: Path) -> Path | None:
    """Return the path that a version up to 0.2 used for this file, or None if the name never changed."""
    return path.with_name(OLD_FILE) if path.name == FILE else None


def is_foreign(path: Path) -> bool:
    """Return whether there is a file at this path that is clearly no training checkpoint, damaged or not.

    It is another safetensors file, or something that is not a regular file. A file that cannot be read as safetensors
    may be a damaged training checkpoint.
    """
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        return os.path.lexists(path)
    try:
        with safe_open(path, framework="np") as file:
            return not {_KEY, _OLD_KEY} & (file.metadata() or {}).keys()
    except SafetensorError:
        return False


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Create this folder and allow one training at a time in it.

    The lock is the file ``training.lock`` in the folder, see ``answersim.runtime.locks``. Code that already holds the
    lock may enter again; another thread or process may not. A folder that was created here is removed if it is empty at
    the end.

    Raises:
        BlockingIOError: If another training uses the folder.
        OSError: If the folder or the lock cannot be created.
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


def _read(path: Path) -> TrainingCheckpoint:
    from safetensors import safe_open

    with safe_open(path, framework="pt") as file:
        entries = file.metadata() or {}
        text = entries[_KEY] if _KEY in entries else entries[_OLD_KEY]
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 # no dict
    has_checksum = text.startswith(_MARK)
    if has_checksum:
        stated, _, text = text.removeprefix(_MARK).partition("\n")
        if stated != (digest := _digest(tensors, text)):
            raise ValueError(f"its content has the SHA-256 {digest}, but was written with {stated}")
    metadata = json.loads(text)
    if not isinstance(metadata, dict):
        raise ValueError("its metadata is not a JSON object")
    if not has_checksum:
        warnings.warn(
            f"{path} was written by an earlier version, without a checksum, so that damage to it cannot be detected; "
            "if you doubt it, start over with --no-resume",
            stacklevel=3,
        )
    return TrainingCheckpoint(tensors, metadata)


def _digest(tensors: Mapping[str, torch.Tensor], metadata: str) -> str:
    """Return the SHA-256 of the metadata and of the name, type, shape and bytes of every tensor."""
    import torch

    digest = hashlib.sha256(metadata.encode())
    for name, tensor in sorted(tensors.items()):
        digest.update(f"\0{name}\0{tensor.dtype}\0{tuple(tensor.shape)}\0".encode())
        digest.update(tensor.cpu().reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
