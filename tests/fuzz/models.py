"""A tiny model to attack and to train on."""

from pathlib import Path


def tiny(folder: Path) -> Path:
    """Make a small random BERT with its tokenizer in this folder: the one of the tests."""
    from tests.conftest import _make

    folder.mkdir(parents=True, exist_ok=True)
    _make(folder, "bert", classifier=False, labels=1, seed=0, positions=64)
    return folder
