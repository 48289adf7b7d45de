"""From a name to weights: every place is tried in its order, and three errors differ."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from answersim._base.errors import CheckpointNotFoundError, MissingExtraError
from answersim.metrics.checkpoints.search import check_config, find, fingerprint, has_weights
from tests.metrics.checkpoints.model_folders import CONFIG, MINILM, model, snapshot

pytestmark = pytest.mark.usefixtures("cache", "connections")


@pytest.mark.parametrize("name", ["mine", "mine@v2"])
@pytest.mark.parametrize("spelled", [str, Path, lambda folder: f"{folder}/"])
def test_a_folder_is_found_by_its_path(spelled, name, tmp_path):
    folder = model(tmp_path / name)
    checkpoint = find(spelled(folder))
    assert (checkpoint.folder, checkpoint.name) == (folder, os.fspath(spelled(folder)))
    assert checkpoint.source == "the folder itself"
    assert (checkpoint.fingerprint, checkpoint.config) == (fingerprint(folder), CONFIG)


def test_a_relative_folder_and_one_at_home_are_found(tmp_path, monkeypatch):
    model(tmp_path / "mine")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    expected = fingerprint(tmp_path / "mine")
    assert [find(name).fingerprint for name in ("mine", "./mine", "~/mine", "../" + tmp_path.name + "/mine")] == (
        [expected] * 4
    )


def test_a_folder_is_used_as_it_is_even_if_its_name_is_pinned(pin, tmp_path):
    mine = model(tmp_path / "all-MiniLM-L6-v2", b"other weights")
    assert find(mine).fingerprint == fingerprint(mine)


@pytest.mark.parametrize("missing", ["config.json", "model.safetensors"])
def test_a_folder_without_weights_or_configuration_is_not_found(missing, tmp_path):
    folder = model(tmp_path / "mine")
    (folder / missing).unlink()
    assert not has_weights(folder)
    with pytest.raises(CheckpointNotFoundError, match=f"no weights for '{folder}'.*{folder}: no (weights|config.json)"):
        find(folder)


@pytest.mark.parametrize("name", ["./gone", "/gone", "~/gone", "../gone"])
def test_a_path_that_does_not_exist_is_searched_nowhere_else(name, home, connections):
    model(home / "gone")
    with pytest.raises(CheckpointNotFoundError, match=r"the folder itself.*check the path") as error:
        find(name)
    assert "Hugging Face" not in str(error.value)
    assert connections == []


@pytest.mark.parametrize("place", ["org/mine", "mine"])
def test_the_models_folder_holds_a_model_under_its_full_or_its_short_name(place, home):
    folder = model(home / place)
    checkpoint = find("org/mine")
    assert (checkpoint.folder, checkpoint.name, checkpoint.source) == (folder, "org/mine", "$ANSWERSIM_MODELS")


def test_the_full_name_precedes_the_short_one(home, cache):
    (home / "org" / "mine").mkdir(parents=True)
    in_cache = snapshot(cache, "org/mine")
    assert find("org/mine").folder == in_cache
    model(home / "mine")
    assert find("org/mine").folder == home / "mine"
    model(home / "org" / "mine")
    assert find("org/mine").folder == home / "org" / "mine"


@pytest.mark.parametrize("kind", ["path", "text", "function"])
def test_an_installed_package_offers_weights(kind, packaged, tmp_path):
    folder = model(tmp_path / "site" / "weights")
    packaged("org/mine", {"path": folder, "text": str(folder), "function": lambda: folder}[kind])
    checkpoint = find("org/mine")
    assert checkpoint.folder == folder
    assert checkpoint.source == "the installed package some_weights:place"


@pytest.mark.parametrize(("offered", "name"), [(MINILM, "all-MiniLM-L6-v2"), ("all-MiniLM-L6-v2", MINILM)])
def test_a_package_offers_a_model_under_its_alias_or_its_full_name(offered, name, packaged, pin):
    packaged(offered, pin)
    assert find(name).folder == pin


@pytest.mark.parametrize("broken", [False, True])
def test_a_package_that_is_broken_or_has_no_weights_is_passed_over_and_named(broken, packaged, monkeypatch, tmp_path):
    packaged("org/mine", tmp_path)
    if broken:
        monkeypatch.delattr(sys.modules["some_weights"], "place")
    reason = "broken: AttributeError" if broken else f"{tmp_path}: no config.json"
    with pytest.raises(CheckpointNotFoundError, match=f"package some_weights:place .{reason}"):
        find("org/mine")


def test_the_pinned_package_is_found_and_checked(pin, package_of_minilm):
    package_of_minilm(pin)
    checkpoint = find("all-MiniLM-L6-v2")
    assert checkpoint.source == "the installed package carries_minilm"
    assert checkpoint.fingerprint == fingerprint(pin)


def test_every_place_is_tried_in_its_order(tmp_path, home, cache, pin, packaged, package_of_minilm):
    in_home = home / "all-MiniLM-L6-v2"
    offered = tmp_path / "offered"
    for folder in (in_home, offered):
        shutil.copytree(pin, folder)
    package_of_minilm(pin)
    packaged(MINILM, offered)
    cached = snapshot(cache, MINILM, "a" * 40)
    shutil.rmtree(cached)
    shutil.copytree(pin, cached)
    (cache / f"models--{MINILM.replace('/', '--')}" / "refs" / "abc123").write_text("a" * 40)

    expected = [in_home, offered, tmp_path / "site" / "carries_minilm" / "model", cached]
    prints = set()
    for folder in expected:
        checkpoint = find("all-MiniLM-L6-v2")
        assert checkpoint.folder == folder
        prints.add(checkpoint.fingerprint)
        assert find(MINILM)[1:] == checkpoint[1:]  # by its full name, it is found in the same place
        shutil.rmtree(folder)
    with pytest.raises(CheckpointNotFoundError):
        find("all-MiniLM-L6-v2")
    assert prints == {find(pin).fingerprint}  # the same bytes are the same model, wherever they lie
    assert prints.pop().startswith("all-MiniLM-L6-v2@")


def test_the_error_names_every_place_and_the_remedy(home, packaged):
    with pytest.raises(CheckpointNotFoundError) as error:
        find("org/mine")
    output = str(error.value)
    assert output.startswith("no weights for 'org/mine'. Tried: ")
    assert output.index(f"$ANSWERSIM_MODELS ({home}: no folder org/mine)") < output.index(
        "the Hugging Face cache and hub ("
    )
    assert output.endswith("To fix this: put its files into $ANSWERSIM_MODELS/org/mine or go online once")


def test_the_error_for_the_pinned_model_names_its_package(pin):
    with pytest.raises(CheckpointNotFoundError) as error:
        find("all-MiniLM-L6-v2")
    output = str(error.value)
    assert "$ANSWERSIM_MODELS (not set)" in output
    assert "the package no_such_package (not installed)" in output
    assert "the Hugging Face cache and hub (" in output
    assert output.endswith('To fix this: run pip install -c constraints.txt ".[embedded]" in a checkout of answersim')


def test_without_the_client_of_the_hub_the_extra_is_named_and_folders_are_found(pin, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtraError, match=r"'org/mine' .*pip install -c constraints.txt \"\.\[neural\]\""):
        find("org/mine")
    with pytest.raises(CheckpointNotFoundError, match=r"huggingface_hub is not installed.*in a checkout of answersim$"):
        find("all-MiniLM-L6-v2")
    assert find(model(tmp_path / "mine")).folder == tmp_path / "mine"


@pytest.mark.parametrize("weights", [b"something else", None])
def test_the_default_weights_do_not_depend_on_the_working_folder(
    weights, pin, tmp_path, monkeypatch, package_of_minilm
):
    package_of_minilm(pin)
    if weights is None:
        (tmp_path / "all-MiniLM-L6-v2").mkdir()
    else:
        model(tmp_path / "all-MiniLM-L6-v2", weights)
    monkeypatch.chdir(tmp_path)
    assert find("all-MiniLM-L6-v2").folder != Path("all-MiniLM-L6-v2")
    assert find("all-MiniLM-L6-v2").fingerprint.startswith("all-MiniLM-L6-v2@")


def test_a_models_folder_that_is_there_is_not_called_missing(home):
    (home / "org" / "mine").mkdir(parents=True)
    with pytest.raises(CheckpointNotFoundError) as error:
        find("org/mine")
    assert "no folder org/mine" not in str(error.value)


@pytest.mark.parametrize(
    ("key", "least"), [("hidden_size", 1), ("type_vocab_size", 0), ("max_position_embeddings", -1)]
)
def test_a_size_has_the_smallest_value_of_any_model(key, least, tmp_path):
    assert check_config({key: least}, tmp_path) == {key: least}
    with pytest.raises(ValueError, match=rf"{key} is {least - 1}, but it must be a whole number from {least} to "):
        check_config({key: least - 1}, tmp_path)
