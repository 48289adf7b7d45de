"""Folders of weights that are damaged or hostile: one error that names the file."""

import json
import os
import shutil
from pathlib import Path

import pytest

import answersim
from answersim._base.errors import CheckpointNotFoundError
from answersim.metrics.checkpoints.search import find, fingerprint
from tests.command_line import refused
from tests.metrics.checkpoints.model_folders import CONFIG, configured, model

pytestmark = pytest.mark.usefixtures("cache", "connections")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"model_type": ', "is not valid JSON"),
        (b"", "is not valid JSON"),
        (b"\xff\xfe{}", "is not valid JSON"),
        (b"[1]", "contains a JSON list, but it must contain an object"),
        (b"null", "contains a JSON NoneType, but it must contain an object"),
    ],
)
def test_a_damaged_configuration_is_an_error_that_names_the_file(content, message, tmp_path):
    folder = model(tmp_path / "mine", config__json=content)
    with pytest.raises(ValueError, match=f"{folder / 'config.json'} {message}"):
        find(folder)


@pytest.mark.parametrize("index", ['{"weight_map": ["a"]}', "{}", '{"weight_map": {}}'])
def test_an_index_that_names_no_weights_is_an_error_that_names_it(index, tmp_path):
    folder = model(tmp_path / "m")
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors.index.json").write_text(index)
    with pytest.raises(ValueError, match=r"index.json names no weights"):
        find(folder)


@pytest.mark.parametrize(
    ("content", "metric"),
    [(b"version https://git-lfs.github.com/spec/v1\noid sha256:aa\nsize 9\n", "bi-encoder"), (b"", "sas")],
)
def test_damaged_weights_are_an_error_that_names_their_folder(content, metric, tiny, tmp_path):
    folder = tmp_path / "m"
    shutil.copytree(tiny(classifier=metric == "sas"), folder)
    (folder / "model.safetensors").write_bytes(content)
    with pytest.raises(ValueError, match=f"the weights in {folder} cannot be read"):
        answersim.score("a", "b", metric=metric, model=folder)


def sharded(folder: Path, *shards: str) -> Path:
    """The folder with an index of these shards in place of its weights."""
    (folder / "model.safetensors").unlink()
    index = {"weight_map": {str(i): shard for i, shard in enumerate(shards)}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    return folder


@pytest.mark.parametrize(
    "shard",
    ["/dev/zero", "/dev/zero.bin", "../other.safetensors", "a/../../other.safetensors", "..", "", "config.json"],
)
def test_an_index_names_weights_in_its_own_folder_only(shard, tmp_path):
    model(tmp_path / "m")
    (tmp_path / "other.safetensors").write_bytes(b"elsewhere")
    with pytest.raises(ValueError, match=r"index\.json names .*weights are \.safetensors or \.bin files in the same"):
        find(sharded(tmp_path / "m", shard))


def test_an_index_names_nothing_in_a_linked_folder(tmp_path):
    model(tmp_path / "elsewhere")
    folder = sharded(model(tmp_path / "m"), "inside/model.safetensors")
    (folder / "inside").symlink_to("../elsewhere")
    with pytest.raises(ValueError, match=r"names 'inside/model\.safetensors'"):
        find(folder)
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    with pytest.raises(CheckpointNotFoundError, match="no such folder"):
        find(tmp_path / "one")


def test_weights_of_one_name_in_two_folders_below_are_both_signed(tmp_path):
    """A published committee of rankers is such a folder."""
    folder = sharded(model(tmp_path / "m"), "one/model.safetensors", "two/model.safetensors")
    for name in ("one", "two"):
        model(folder / name, name.encode())
    before = find(folder).fingerprint
    (folder / "one" / "model.safetensors").write_bytes(b"other")
    assert find(folder).fingerprint != before


NAMES = ("shard.safetensors", "tokenizer.json", "vocab.txt", "tokenizer_config.json")


KINDS = ("fifo", "device", "loop", "nowhere")


@pytest.mark.parametrize(("kind", "name"), [*zip(KINDS, NAMES, strict=True), *zip(KINDS, NAMES[::-1], strict=True)])
def test_what_is_no_regular_file_is_refused_and_not_read_for_ever(kind, name, tmp_path):
    folder = model(tmp_path / "m")
    if name == "shard.safetensors":
        sharded(folder, name)
    odd(folder / name, kind)
    with pytest.raises(ValueError, match=f"{name} is (not a regular file|a link that leads to no file)"):
        find(folder)


@pytest.mark.parametrize(("kind", "name"), [*zip(KINDS, ("model.safetensors", "config.json") * 2, strict=True)])
def test_weights_that_are_no_regular_file_are_not_found_for_this_reason(kind, name, tmp_path):
    folder = model(tmp_path / "m")
    odd(folder / name, kind)
    with pytest.raises(CheckpointNotFoundError, match=f"{name} is not a regular file"):
        find(folder)


def odd(path: Path, kind: str) -> None:
    path.unlink(missing_ok=True)
    if kind == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to({"device": "/dev/zero", "loop": path.name, "nowhere": "gone"}[kind])


def test_files_behind_links_are_read_as_the_hub_lays_them_out(tmp_path):
    folder = model(tmp_path / "m")
    expected = fingerprint(folder)
    (folder / "model.safetensors").rename(tmp_path / "blob")
    (folder / "model.safetensors").symlink_to("../blob")
    assert find(folder).fingerprint == expected


@pytest.mark.parametrize("file", ["config.json", "tokenizer_config.json", "model.safetensors.index.json"])
def test_a_file_that_is_nested_deeply_or_too_large_is_named(file, tmp_path):
    folder = model(tmp_path / "m")
    if "index" in file:
        sharded(folder)
    (folder / file).write_text("[" * 200_000)
    with pytest.raises(ValueError, match=f"{file} is not valid JSON: it is nested too deeply"):
        find(folder)
    with (folder / file).open("wb") as opened:
        opened.truncate(2**40)  # it takes no room
    with pytest.raises(ValueError, match=f"{file} has 1,099,511,627,776 bytes, but a file of settings has at most"):
        find(folder)
    (folder / file).write_text(json.dumps(CONFIG) if file == "config.json" else "{}")
    with (folder / "tokenizer.json").open("wb") as opened:
        opened.truncate(2**40)
    with pytest.raises(ValueError, match=r"a vocabulary has at most|names no weights"):
        find(folder)


@pytest.mark.parametrize("metric", ["bi-encoder", "sas"])
def test_a_damaged_folder_is_one_line_and_exit_status_2(metric, tiny, tmp_path):
    """Which damage is found: tests/metrics/neural/test_loading.py."""
    folder = tmp_path / "m"
    shutil.copytree(tiny(classifier=metric == "sas"), folder)
    if metric == "sas":
        sharded(folder, "/dev/zero")
    else:
        configured(folder, hidden_act="none such")
    (tmp_path / "t.csv").write_text("gold,pred\na,b\n")
    assert str(folder) in refused("score", tmp_path / "t.csv", "-m", metric, "--option", f"model={folder}")
