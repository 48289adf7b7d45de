"""Trained networks as folders: saved, found by a path or a name, and every kind of damaged folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import rankers
from rankers.models import store
from tests.cases import every
from tests.rankers.models.small_ranker import ranker


def test_a_folder_without_a_ranker_names_what_was_looked_for(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"contains no ranker: it has no config\.json"):
        store.load(tmp_path)
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        rankers.load(tmp_path / "a")


@pytest.fixture
def kept(tmp_path):
    """A folder with a small ranker."""
    store.save(ranker(), tmp_path / "kept")
    return tmp_path / "kept"


def rewritten(path: Path, **changes: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


HOSTILE: dict[str, Any] = {
    "config is a list": lambda f: (f / "config.json").write_text("[]"),
    "config is nested": lambda f: (f / "config.json").write_text("[" * 100_000),
    "config is nested objects": lambda f: (f / "config.json").write_text('{"a":' * 100_000),
    "config is empty": lambda f: (f / "config.json").write_text("{}"),
    "config is not UTF-8": lambda f: (f / "config.json").write_bytes(b'{"kind": "\xff"}'),
    "no kind": lambda f: rewritten(f / "config.json", kind=None),
    "another kind": lambda f: rewritten(f / "config.json", kind="no-such"),
    "a module as kind": lambda f: rewritten(f / "config.json", kind="os"),
    "a list as kind": lambda f: rewritten(f / "config.json", kind=["match-pyramid"]),
    "settings are a list": lambda f: rewritten(f / "config.json", settings=[1]),
    "settings are of another type": lambda f: rewritten(f / "config.json", settings={"channels": "4"}),
    "settings are of a deeper type": lambda f: rewritten(f / "config.json", settings={"channels": [["4"]]}),
    "settings are unknown": lambda f: rewritten(f / "config.json", settings={"eval": "1"}),
    "settings are huge": lambda f: rewritten(f / "config.json", settings={"channels": [10**7], "grid": [10**4, 10**4]}),
    "settings overflow": lambda f: rewritten(f / "config.json", settings={"channels": [10**30]}),
    "words are none": lambda f: rewritten(f / "config.json", words=None),
    "words are of another type": lambda f: rewritten(f / "config.json", words={"source": 3}),
    "words are unknown": lambda f: rewritten(f / "config.json", words={"source": "random", "code": "x"}),
    "words are projected to a huge size": lambda f: rewritten(
        f / "config.json", words={"source": "random", "project": 10**9}
    ),
    "lengths are text": lambda f: rewritten(f / "config.json", lengths={"question": "6", "answer": 8}),
    "lengths are 0": lambda f: rewritten(f / "config.json", lengths={"question": 0, "answer": 8}),
    "a length is missing": lambda f: rewritten(f / "config.json", lengths={"question": 6}),
    "the provenance is a list": lambda f: rewritten(f / "config.json", provenance=[]),
    "the signature is a number": lambda f: rewritten(f / "config.json", signature=3),
    "weights are empty": lambda f: (f / "model.safetensors").write_bytes(b""),
    "weights are a pickle": lambda f: (f / "model.safetensors").write_bytes(b"\x80\x04cos\nsystem\n."),
    "weights lack one": lambda f: reweighted(f, lambda t: t.pop("score.bias")),
    "weights have one more": lambda f: reweighted(f, lambda t: t.update(more=t["score.bias"].clone())),
    "weights of another shape": lambda f: reweighted(f, lambda t: t.update({"score.bias": t["score.bias"].repeat(2)})),
    "weights are nan": lambda f: reweighted(f, lambda t: t["score.bias"].fill_(float("nan"))),
    "weights are inf": lambda f: reweighted(f, lambda t: t["score.bias"].fill_(float("inf"))),
    "learned words are nested": lambda f: (f / "words.json").write_text("[" * 100_000),
    "learned words are numbers": lambda f: (f / "words.json").write_text("[1]"),
    "a word too few": lambda f: (f / "words.json").write_text('["apple"]'),
    "no table": lambda f: (f / "words.safetensors").write_bytes((f / "model.safetensors").read_bytes()),
}


def reweighted(folder: Path, change: Any) -> None:
    """Change the weights in a folder, and its signature with them."""
    from safetensors.torch import load_file, save_file

    tensors = {name: value.clone() for name, value in load_file(folder / "model.safetensors").items()}
    change(tensors)
    save_file(tensors, folder / "model.safetensors")


@pytest.mark.parametrize("harm", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_folder_is_one_clear_error_that_names_it(harm, kept):
    harm(kept)
    with pytest.raises(ValueError, match="kept") as error:
        rankers.load(kept)
    assert type(error.value) is ValueError


def test_a_checkpoint_named_in_a_folder_is_never_downloaded(kept, monkeypatch):
    import huggingface_hub

    asked = []

    def download(*names, **options):
        asked.append(options)
        raise OSError("no such snapshot")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    rewritten(kept / "config.json", words={"source": "checkpoint", "checkpoint": "stranger/model"})
    with pytest.raises(LookupError, match=r"stranger/model.*rankers are loaded without the network"):
        rankers.load(kept)
    assert all(entry["local_files_only"] for entry in asked)
    monkeypatch.setenv("ANSWERSIM_MODELS", str(kept.parent / "none"))
    with pytest.raises(FileNotFoundError):
        rankers.load("stranger/model")
    assert all(entry["local_files_only"] for entry in asked)


@every("folder", [None, 3, b"folder", ["folder"]])
def test_anything_but_a_path_is_refused(folder):
    with pytest.raises(TypeError, match="folder is"):
        rankers.load(folder)
    for empty in ("", "a\0b"):
        with pytest.raises(ValueError, match="which is not a path"):
            rankers.load(empty)
