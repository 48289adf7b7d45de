"""The machine that a number was computed on, so that rows of a CPU and of a GPU are never confused."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

PACKAGES = ("answersim", "torch", "transformers", "numpy", "ir-measures", "pytrec-eval-terrier")


class Machine(NamedTuple):
    """A machine and its software."""

    # "cuda" if PyTorch finds a GPU, which encoders, metrics and trainings then use, else "cpu". Hide the GPU with
    # CUDA_VISIBLE_DEVICES= to compute on the CPU.
    device: str
    name: str  # the name of the CPU or GPU
    threads: int  # the number of threads that PyTorch uses
    python: str  # the version of Python
    versions: dict[str, str]  # the versions of the installed packages, by name

    @property
    def line(self) -> str:
        """The description in one line."""
        packages = ", ".join(f"{package} {of}" for package, of in self.versions.items())
        threads = f"{self.threads} thread{'s' * (self.threads != 1)}"
        return f"{self.device} ({self.name}), {threads}, Python {self.python}, {packages}"


def machine() -> Machine:
    """Return the machine that this process runs on."""
    import torch

    is_cuda = torch.cuda.is_available()
    name = torch.cuda.get_device_name() if is_cuda else processor()
    versions = {package: installed for package in PACKAGES if (installed := installed_version(package))}
    return Machine("cuda" if is_cuda else "cpu", name, torch.get_num_threads(), platform.python_version(), versions)


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit PyTorch to one thread within the context, so that CPU time equals the wall time of an idle machine."""
    try:
        import torch
    except ImportError:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def processor() -> str:
    """Return the name of the CPU if the system provides it, and its number of cores."""
    return f"{cpu_name() or platform.machine()}, {os.cpu_count()} cores"


def cpu_name() -> str:
    """Return the name of the CPU, or "" if the system does not provide it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else ""


def installed_version(package: str) -> str | None:
    """Return the version of a package, or None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None
