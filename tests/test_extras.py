"""Every extra can be resolved by pip together with constraints.txt."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# The names before each list of requirements; tomllib is not in Python 3.10.
_SECTION = (ROOT / "pyproject.toml").read_text(encoding="utf-8").partition("[project.optional-dependencies]\n")[2]
EXTRAS = re.findall(r"^([\w-]+) = \[", _SECTION.partition("\n[")[0], re.MULTILINE)


def resolved(*requirements: str) -> subprocess.CompletedProcess[str]:
    """Let pip choose the versions of these requirements as in an empty environment, without installing them."""
    pip = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--disable-pip-version-check"]
    words = [*pip, "-c", "constraints.txt", *requirements]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def _index() -> None:
    if resolved("--no-deps", "numpy").returncode:
        pytest.skip("no package index can be reached")


def test_all_extras_are_found():
    assert {"neural", "embedded", "math", "inspect", "lighteval", "docs", "all", "dev"} <= set(EXTRAS)


@pytest.mark.slow
@pytest.mark.usefixtures("_index")
@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_can_be_installed_with_the_constraints(extra):
    run = resolved(f".[{extra}]")
    assert run.returncode == 0, run.stderr[-2000:]
    would = re.search(r"^Would install (.*)", run.stdout, re.MULTILINE)
    assert would, run.stdout[-2000:]
    assert not re.search(r"\bnvidia-|\btriton-", would[1]), would[1]  # no gigabytes of CUDA
