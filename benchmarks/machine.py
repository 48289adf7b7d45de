"""What a number was made on: rows of a processor and of a graphics card are never taken for each other."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

PACKAGES = ("answersim", "torch", "transformers", "numpy", "ir-measures", "pytrec-eval-terrier")


class Machine(NamedTuple):
    """A machine and what runs on it.

    Attributes:
        device: "cuda" where torch sees a graphics card, which encoders and metrics then use, else "cpu". A network that
            is trained stays where its training put it.
        name: Of the processor, or of the graphics card.
        threads: That torch uses.
        python: Its version.
        versions: By package; those that are installed.
    """

    device: str
    name: str
    threads: int
    python: str
    versions: dict[str, str]

    @property
    def line(self) -> str:
        """All of it in one line."""
        packages = ", ".join(f"{package} {of}" for package, of in self.versions.items())
        threads = f"{self.threads} thread{'s' * (self.threads != 1)}"
        return f"{self.device} ({self.name}), {threads}, Python {self.python}, {packages}"

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return self._asdict()


def machine() -> Machine:
    """The one that this runs on."""
    import torch

    is_cuda = torch.cuda.is_available()
    name = torch.cuda.get_device_name() if is_cuda else _processor()
    versions = {package: installed for package in PACKAGES if (installed := _version(package))}
    return Machine("cuda" if is_cuda else "cpu", name, torch.get_num_threads(), platform.python_version(), versions)


def _processor() -> str:
    """The processor's name, where the system tells it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return f"{names[0] if names else platform.machine()}, {os.cpu_count()} cores"


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
