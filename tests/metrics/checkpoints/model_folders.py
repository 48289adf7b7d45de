"""Folders that look like models, for the tests of finding them."""

import json
from pathlib import Path
from typing import Any

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
