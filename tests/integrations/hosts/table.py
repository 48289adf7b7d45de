"""The host libraries that are tested in environments of their own, and the versions that were tested."""

from __future__ import annotations

from typing import NamedTuple


class Host(NamedTuple):
    """A host library.

    Attributes:
        name: The name of its environment, and of its extra if it has one.
        requirements: What is installed beside answersim; the version of the first one is reported.
        tests: Test files and folders below tests/integrations; each test skips if the host is missing.
    """

    name: str
    requirements: tuple[str, ...]
    tests: tuple[str, ...]


HOSTS = (
    Host("pytest", ("pytest==9.2.0", "pytest-xdist==3.8.0"), ("test_pytest_plugin.py",)),
    Host("polars", ("polars==2.1.0", "pandas==3.1.1", "pyarrow", "datasets==5.2.0"), ("test_frames.py",)),
    Host("evaluate", ("evaluate==0.4.6",), ("hosts/test_hf_evaluate.py",)),
    Host("inspect", ("inspect-ai==0.3.285", "trio==0.35.0"), ("hosts/test_inspect_ai.py",)),
)
