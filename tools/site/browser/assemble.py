"""Assemble the folder of the page: Pyodide and libraries from the package index, this package's wheel, and the page.

Each downloaded file is pinned in ``pins.json`` by version and SHA-256, and a file with another digest is an error. The
package index has no builds of numpy and scipy for WebAssembly of their own. The wheel of open-webui contains those of
Pyodide 0.28.3. Their digests are those in ``pyodide-lock.json`` of the npm package pyodide 0.28.3.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tools.site.browser import minilm

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PAGE = ("index.html", "page.css", "page.js", "worker.js", "answers.py", "quantized.py", "wordpieces.py")
LIBRARIES = "lib"
_TIME = (1980, 1, 1, 0, 0, 0)  # of all files in a repacked wheel, so that equal content gives equal bytes
# The same files on every machine: of a wheel for Linux only the Python part is taken, and nothing is installed.
_PLATFORM = (
    *("--python-version", "3.13", "--implementation", "cp", "--abi", "cp313", "--abi", "none"),
    *("--platform", "manylinux2014_x86_64", "--platform", "any", "--only-binary", ":all:", "--ignore-requires-python"),
)


class DigestError(ValueError):
    """A file has another SHA-256 than the pinned one."""


def assemble(output: Path, downloads: Path) -> None:
    """Write the folder of the page. What was there is replaced, if it was such a folder.

    Args:
        output: The folder, new or written by this function before.
        downloads: A folder for downloaded files, which are used again if they are complete.

    Raises:
        DigestError: If a downloaded file is not the pinned one.
        FileExistsError: If the output is something else.
    """
    if output.exists() and not (output / LIBRARIES / "pyodide-lock.json").is_file():
        raise FileExistsError(f"{output} exists and is not a folder of this page; give another one, or remove it")
    pins = json.loads((HERE / "pins.json").read_text(encoding="utf-8"))
    downloads.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=downloads) as folder:
        made = Path(folder) / "page"
        library = made / LIBRARIES
        library.mkdir(parents=True)
        for path in (*(HERE / name for name in PAGE), ROOT / "answersim" / "report" / "base.css"):
            shutil.copyfile(path, made / path.name)
        lock = _runtime(pins["pyodide"], library, downloads)
        packages = {name: lock["packages"][name] for name in pins["pyodide"]["packages"]}
        for name, pin in pins["wheels"].items():
            wheel = _pinned(name, pin, downloads)
            packages[name] = _entry(name, pin["version"], _copied(wheel, library), pin["depends"])
        own = _own_wheel(Path(folder), library)
        packages["answersim"] = _entry("answersim", own.name.split("-")[1], own, ["numpy", "scipy"])
        for name, pin in pins["npm"].items():
            from_npm(name, pin, library, downloads)
        _encoder(pins["encoder"], library)
        text = json.dumps(lock | {"packages": packages}, indent=1)
        (library / "pyodide-lock.json").write_text(text + "\n", encoding="utf-8")
        (made / "licenses.txt").write_text(_licenses(pins), encoding="utf-8")
        if output.exists():
            shutil.rmtree(output)
        output.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(made, output)


def _runtime(pin: Mapping[str, Any], library: Path, downloads: Path) -> dict[str, Any]:
    """Extract Pyodide and its builds of libraries, each with its pinned digest. Return the lock file of Pyodide."""
    digests = dict(pin["files"]) | {one["file"]: one["sha256"] for one in pin["packages"].values()}
    with zipfile.ZipFile(_pinned(pin["from"]["name"], pin["from"], downloads)) as wheel:
        for name, digest in digests.items():
            content = wheel.read(pin["folder"] + name)
            _check(name, content, digest)
            (library / name).write_bytes(content)
    lock: dict[str, Any] = json.loads((library / "pyodide-lock.json").read_text(encoding="utf-8"))
    for name, one in pin["packages"].items():
        stated = lock["packages"][name]
        if (stated["file_name"], stated["sha256"]) != (one["file"], one["sha256"]):
            raise DigestError(f"{name}: pins.json and pyodide-lock.json name different files; mend pins.json")
    return lock


def _pinned(name: str, pin: Mapping[str, Any], downloads: Path) -> Path:
    """Return the downloaded file of this pin."""
    path = downloads / str(pin["file"])
    if not path.is_file():
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*command, *_PLATFORM, "--dest", str(downloads), f"{name}=={pin['version']}"], check=True)
    if not path.is_file():
        raise FileNotFoundError(f"pip downloaded {name} {pin['version']}, but not as {path.name}; mend pins.json")
    _check(path.name, path.read_bytes(), pin["sha256"])
    return path


def from_npm(name: str, pin: Mapping[str, Any], library: Path, downloads: Path) -> None:
    """Extract files of a package of npm, whose archive has the pinned integrity. Nothing is installed or run."""
    path = downloads / str(pin["file"])
    if not path.is_file():
        if shutil.which("npm") is None:
            raise FileNotFoundError(f"npm is not installed, and {path} is not there; install npm (Debian: nodejs npm)")
        command = ["npm", "pack", "--silent", "--ignore-scripts", f"{name}@{pin['version']}"]
        subprocess.run(command, check=True, cwd=downloads, stdout=subprocess.DEVNULL)
    found = "sha512-" + base64.b64encode(hashlib.sha512(path.read_bytes()).digest()).decode()
    if found != pin["integrity"]:
        raise DigestError(f"{path} has the integrity {found}, but {pin['integrity']} is pinned; remove it")
    with tarfile.open(path) as archive:
        for file, digest in pin["files"].items():
            member = archive.extractfile(pin["folder"] + file)
            assert member is not None  # the integrity is that of an archive with these files
            content = member.read()
            _check(file, content, digest)
            (library / file).write_bytes(content)


def _encoder(pin: Mapping[str, Any], library: Path) -> None:
    """Write the encoder of the embedded weights in 8 bits, its tokenizer, and the digest that the page checks."""
    content, tokens = minilm.export(minilm.folder_of_weights())
    if (found := hashlib.sha256(content).hexdigest()) != pin["sha256"]:
        raise DigestError(
            f"the encoder has the SHA-256 {found}, but {pin['sha256']} is pinned; install "
            "tools/site/browser/requirements.txt, or run python -m tools.site.browser.differences and mend pins.json"
        )
    (library / minilm.ONNX).write_bytes(content)
    (library / minilm.TOKENS).write_bytes(tokens)
    (library / "encoder.json").write_text(json.dumps({"sha256": found}) + "\n", encoding="utf-8")


def _check(name: str, content: bytes, digest: str) -> None:
    found = hashlib.sha256(content).hexdigest()
    if found != digest:
        raise DigestError(f"{name} has the SHA-256 {found}, but {digest} is pinned; remove it and run this again")


def _copied(wheel: Path, library: Path) -> Path:
    """Copy a wheel of Python files, or the Python part of a wheel for a platform."""
    if wheel.name.endswith("-none-any.whl"):
        return Path(shutil.copyfile(wheel, library / wheel.name))
    name = "-".join(wheel.name.split("-")[:2]) + "-py3-none-any.whl"
    return repacked(wheel, library / name, lambda path: not path.endswith((".so", ".c")))


def _own_wheel(folder: Path, library: Path) -> Path:
    """Build the wheel of this tree, and copy it without what the page cannot use: weights of networks, and rankers."""
    command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    (wheel,) = folder.glob("answersim-*.whl")
    return repacked(
        wheel, library / wheel.name, lambda path: not path.endswith(".safetensors") and "rankers/" not in path
    )


def repacked(wheel: Path, target: Path, kept: Callable[[str], bool]) -> Path:
    """Write a wheel with some of the files of another one, unchanged. The list of files in it is shortened, too."""
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for item in old.infolist():
            if item.is_dir() or not kept(item.filename):
                continue
            content = old.read(item)
            if item.filename.endswith(".dist-info/RECORD"):
                lines = content.decode("utf-8").splitlines()
                content = "".join(f"{line}\n" for line in lines if kept(line.split(",")[0])).encode()
            entry = zipfile.ZipInfo(item.filename, _TIME)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            new.writestr(entry, content)
    return target


def _entry(name: str, version: str, file: Path, depends: list[str]) -> dict[str, Any]:
    """Return the entry of a wheel in the lock file, by whose digest Pyodide checks what it loads."""
    return {
        "name": name,
        "version": version,
        "file_name": file.name,
        "install_dir": "site",
        "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
        "package_type": "package",
        "imports": [name],
        "depends": depends,
        "unvendored_tests": False,
    }


def _licenses(pins: Mapping[str, Any]) -> str:
    """Return what the folder is made of, with versions and licenses."""
    pyodide = pins["pyodide"]
    parts = {"pyodide": pyodide, **pyodide["packages"], **pins["wheels"], **pins["npm"]}
    parts[pins["encoder"]["name"]] = pins["encoder"]
    lines = [f"{name} {part['version']}: {part['license']}" for name, part in sorted(parts.items())]
    return (
        "This page runs answersim (Apache-2.0; WordNet 3.0 under its own license, see the wheel) on these components.\n"
        "The license texts are in the wheels in lib/. Pyodide contains CPython 3.13.2 (PSF-2.0). onnxruntime-web is\n"
        "Copyright (c) Microsoft Corporation, under the MIT License, as its files state. The weights of\n"
        "all-MiniLM-L6-v2 were quantized by tools/site/browser/minilm.py of answersim.\n\n"
        + "".join(f"{line}\n" for line in lines)
    )


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "browser", help="the folder of the page")
    parser.add_argument("--downloads", type=Path, default=ROOT / "build" / "downloads", help="kept between runs")
    given = parser.parse_args()
    assemble(given.output, given.downloads)
    size = sum(path.stat().st_size for path in given.output.rglob("*") if path.is_file())
    sys.stdout.write(f"written: {given.output} ({size / 1e6:.0f} MB); python -m http.server -d {given.output}\n")


if __name__ == "__main__":
    main()
