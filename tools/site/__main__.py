"""Build the documentation site offline: ``make docs``. A warning of Sphinx, such as a broken link, is an error."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import typer

from answersim._base.runtime.cli_errors import user_errors
from benchmarks.options import run_program
from tools.site import cards, commands, reference, sources


def main(output: Path = typer.Option(sources.ROOT / "build/site", help="The folder of the site.")) -> None:
    """Build the documentation site."""
    with user_errors():
        started = time.monotonic()
        make_room(output)
        with tempfile.TemporaryDirectory() as folder:
            sources.assemble(Path(folder))
            for pages in (cards.card_pages(), reference.reference_pages(), commands.command_pages()):
                for path, text in pages.items():
                    sources.write(Path(folder) / path, text)
            options = ["-b", "html", "-W", "--keep-going", "-q", "-d", str(Path(folder) / "_doctrees")]
            run = subprocess.run([sys.executable, "-m", "sphinx", *options, folder, str(output)])
        if run.returncode:
            raise SystemExit(1)
        n_pages, n_seconds = len(list(output.rglob("*.html"))), time.monotonic() - started
        typer.echo(f"{output / 'index.html'}: {n_pages} pages, built in {n_seconds:.0f} s")


def make_room(output: Path) -> None:
    """Remove the site that an earlier run built. Raise FileExistsError if the folder contains something else."""
    if (output / ".buildinfo").is_file():  # Sphinx writes it into every site
        shutil.rmtree(output)
    elif output.is_dir() and any(output.iterdir()):
        raise FileExistsError(f"{output} is not empty and contains no built site; remove it, or name another --output")


if __name__ == "__main__":
    run_program(main)
