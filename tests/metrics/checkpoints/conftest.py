"""Places of weights: all are empty, and the network is out of reach."""

import json
import shutil
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from answersim.metrics.checkpoints.search import PINNED, Pin, sha256


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty ``$ANSWERSIM_MODELS``."""
    (tmp_path / "models").mkdir()
    monkeypatch.setenv("ANSWERSIM_MODELS", str(tmp_path / "models"))
    return tmp_path / "models"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty Hugging Face cache, with the hub out of reach; and a working folder without models."""
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "cache"


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Whom a test has tried to reach over the network; nobody can be reached."""
    called: list[object] = []

    def connect(self: socket.socket, address: object) -> None:
        called.append(address)
        raise OSError(f"a test connections {address}")

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, *rest, **more: connect(None, host))  # type: ignore[arg-type]
    return called


@pytest.fixture
def package_of_minilm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path | None], None]:
    """Puts a package with this folder in the place of the pinned one; None takes it away."""

    def put(folder: Path | None) -> None:
        name = "carries_minilm"
        if folder is not None:
            (tmp_path / "site" / name).mkdir(parents=True)
            (tmp_path / "site" / name / "__init__.py").touch()
            shutil.copytree(folder, tmp_path / "site" / name / "model")
            monkeypatch.syspath_prepend(str(tmp_path / "site"))
        monkeypatch.setitem(PINNED, MINILM, PINNED[MINILM]._replace(package=name))

    return put


@pytest.fixture
def pin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The pinned model, in small: a folder whose bytes are the pinned ones."""
    folder = model(tmp_path / "pinned", b"the pinned weights")
    sums = {file: sha256(folder / file) for file in ("model.safetensors", "tokenizer.json")}
    monkeypatch.setitem(PINNED, MINILM, Pin("abc123", sums, "no_such_package", "model", "embedded"))
    return folder


MINILM = "sentence-transformers/all-MiniLM-L6-v2"


CONFIG = {"model_type": "bert", "hidden_size": 32, "num_hidden_layers": 2}


def model(folder: Path, weights: bytes = b"weights", **files: bytes) -> Path:
    """A folder that looks like a model; its files are bytes, as that is all that finding asks of them."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(CONFIG))
    (folder / "model.safetensors").write_bytes(weights)
    (folder / "tokenizer.json").write_bytes(b'{"version": "1.0"}')
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_bytes(content)
    return folder


def configured(folder: Path, **keys: Any) -> Path:
    """The folder with these keys in its ``config.json``; None takes a key away."""
    config = json.loads((folder / "config.json").read_text()) | keys
    (folder / "config.json").write_text(json.dumps({key: value for key, value in config.items() if value is not None}))
    return folder


def snapshot(cache: Path, name: str, revision: str = "0123456789abcdef0123456789abcdef01234567", **how: Any) -> Path:
    """A model in the Hugging Face cache, as its client leaves it there."""
    repository = cache / f"models--{name.replace('/', '--')}"
    (repository / "refs").mkdir(parents=True, exist_ok=True)
    (repository / "refs" / "main").write_text(revision)
    return model(repository / "snapshots" / revision, **how)
