"""Rankers as folders; trained networks and committees are saved and loaded in test_contract."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.rankers.models.small_ranker import ranker

import rankers
from rankers.models import store
from rankers.models.baselines import RandomOrder, WordOverlap
from rankers.models.bm25 import Bm25
from rankers.training.committee import Committee
from tests.cases import every

ASKED = (["who wrote it?"], [["Ann wrote it", "it rained", "wrote and wrote"]])


def test_a_committee_is_saved_with_its_weights_and_calibration(tmp_path: Path) -> None:
    members = (Bm25.fit(["Ann wrote it", "nobody did"]), Bm25.fit(["it rained", "nobody did"]))
    committee = Committee(members, (1.0, 3.0), "question")
    store.save(committee, tmp_path)
    back = store.load(tmp_path)
    assert isinstance(back, Committee)
    assert (back.weights, back.calibration) == ((0.25, 0.75), "question")
    np.testing.assert_array_equal(back.score(*ASKED)[0], committee.score(*ASKED)[0])


@pytest.mark.parametrize("untrained", [RandomOrder(0), WordOverlap()])
def test_an_untrained_ranker_is_not_saved(untrained: rankers.Ranker, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="use its name"):
        store.save(untrained, tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


def test_a_folder_without_a_ranker_names_what_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"config\.json, committee\.json and bm25\.json"):
        store.load(tmp_path)


@pytest.fixture
def kept(tmp_path: Path) -> Path:
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
def test_a_hostile_folder_is_one_clear_error_that_names_it(harm: Any, kept: Path) -> None:
    harm(kept)
    with pytest.raises(ValueError, match="kept") as error:
        rankers.load(kept)
    assert type(error.value) is ValueError


def test_a_checkpoint_named_in_a_folder_is_never_downloaded(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub

    asked = []

    def download(*names: Any, **options: Any) -> str:
        asked.append(options)
        raise OSError("no such snapshot")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    rewritten(kept / "config.json", words={"source": "checkpoint", "checkpoint": "stranger/model"})
    with pytest.raises(LookupError, match=r"stranger/model.*rankers are loaded without the network"):
        rankers.load(kept)
    assert all(each["local_files_only"] for each in asked)
    monkeypatch.setenv("ANSWERSIM_MODELS", str(kept.parent / "none"))
    with pytest.raises(FileNotFoundError):
        rankers.load("stranger/model")
    assert all(each["local_files_only"] for each in asked)


def committee(folder: Path, *members: str, **others: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    stated = {"members": list(members), "weights": [1.0] * len(members), "calibration": "none", **others}
    (folder / "committee.json").write_text(json.dumps(stated))
    return folder


def test_a_committee_that_contains_itself_is_refused(tmp_path: Path) -> None:
    one = committee(tmp_path / "one", "other")
    two = committee(tmp_path / "two", "other")
    (one / "other").symlink_to(two)
    (two / "other").symlink_to(one)
    mirror = committee(tmp_path / "mirror", "member")
    (mirror / "member").symlink_to(mirror)
    for folder in (one, mirror):
        with pytest.raises(ValueError, match="contains itself"):
            rankers.load(folder)


def test_a_loop_of_links_is_no_ranker(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(FileNotFoundError, match="no folder"):
        rankers.load(tmp_path / "a")
    committee(tmp_path / "c", "loop")
    (tmp_path / "c" / "loop").symlink_to(tmp_path / "a")
    with pytest.raises(FileNotFoundError, match="no folder"):
        rankers.load(tmp_path / "c")


def test_a_committee_is_not_too_deep_and_has_no_member_twice(tmp_path: Path) -> None:
    place = tmp_path
    for _ in range(30):
        place = committee(place, "m") / "m"
    with pytest.raises(ValueError, match="in more than 8 committees"):
        rankers.load(tmp_path)
    store.save(Bm25.fit(["it rained"]), tmp_path / "two" / "m")
    with pytest.raises(ValueError, match="a member of its committee twice"):
        rankers.load(committee(tmp_path / "two", "m", "m"))


@pytest.mark.parametrize(
    "stated",
    [
        {"members": ["."]},
        {"members": [".."]},
        {"members": ["/etc"]},
        {"members": ["m/../m"]},
        {"members": [3]},
        {"members": "m"},
        {"members": None},
        {"members": []},
        {"members": ["m\0"]},
        {"weights": ["1"]},
        {"weights": [True]},
        {"weights": None},
        {"weights": [float("nan")]},
        {"weights": [1.0, 2.0]},
        {"weights": [-1.0]},
        {"calibration": None},
        {"calibration": ["none"]},
    ],
)
def test_a_committee_of_other_settings_is_refused(stated: dict[str, Any], tmp_path: Path) -> None:
    store.save(Bm25.fit(["it rained"]), tmp_path / "m")
    with pytest.raises(ValueError, match=r"members|weights|calibration"):
        rankers.load(committee(tmp_path, "m", **stated))


@pytest.mark.parametrize(
    "changes",
    [
        {"k1": "x"},
        {"k1": float("nan")},
        {"k1": True},
        {"b": None},
        {"more": 1},
        {"counts": None},
        {"counts": {"documents": 0, "average": 1.0, "containing": {}}},
        {"counts": {"documents": "3", "average": 1.0, "containing": {}}},
        {"counts": {"documents": 3, "average": float("nan"), "containing": {}}},
        {"counts": {"documents": 3, "average": 1.0, "containing": {"a": 4}}},
        {"counts": {"documents": 3, "average": 1.0, "containing": {"a": "1"}}},
        {"counts": {"documents": 3, "average": 1.0, "containing": ["a"]}},
    ],
)
def test_damaged_word_counts_are_refused(changes: dict[str, Any], tmp_path: Path) -> None:
    store.save(Bm25.fit(["it rained"]), tmp_path)
    rewritten(tmp_path / "bm25.json", **changes)
    with pytest.raises(ValueError, match=r"bm25\.json is not a file of Bm25\.save"):
        rankers.load(tmp_path)


@every("folder", [None, 3, b"folder", ["folder"]])
def test_anything_but_a_path_is_refused(folder: Any) -> None:
    with pytest.raises(TypeError, match="folder is"):
        rankers.load(folder)
    for empty in ("", "a\0b"):
        with pytest.raises(ValueError, match="which is not a path"):
            rankers.load(empty)
