"""Weights from the cache of Hugging Face and from its hub: what is read, and what is requested."""

import shutil
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import pytest

from answersim._base.errors import CheckpointNotFoundError
from answersim.metrics.checkpoints.search import find, fingerprint
from tests.metrics.checkpoints.model_folders import MINILM, model, snapshot

pytestmark = pytest.mark.usefixtures("cache", "connections")


def test_the_cache_of_hugging_face_is_read_without_a_network(cache, connections):
    folder = snapshot(cache, "org/mine")
    checkpoint = find("org/mine")
    assert (checkpoint.folder, checkpoint.source) == (folder, "the Hugging Face cache")
    assert connections == []


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


def test_a_pinned_model_is_read_from_the_cache_at_its_revision(pin, cache):
    snapshot(cache, MINILM, "f" * 40)
    with pytest.raises(CheckpointNotFoundError, match="all-MiniLM-L6-v2"):
        find("all-MiniLM-L6-v2")  # main is there, abc123 is not
    folder = snapshot(cache, MINILM, "a" * 40)
    shutil.rmtree(folder)
    shutil.copytree(pin, folder)
    (cache / f"models--{MINILM.replace('/', '--')}" / "refs" / "abc123").write_text("a" * 40)
    assert find("all-MiniLM-L6-v2").folder == folder


def test_weights_of_torch_are_found_where_there_is_nothing_newer(cache):
    folder = snapshot(cache, "org/mine")
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    assert find("org/mine").folder == folder


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


def test_the_fixture_records_a_connection(connections, monkeypatch):
    import urllib.error
    import urllib.request

    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen("http://example.invalid/", timeout=1)
    assert connections == ["example.invalid"]


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


def test_neither_the_models_folder_nor_a_package_is_taken_for_a_revision(home, packaged, tmp_path):
    model(home / "mine")
    packaged("org/mine", model(tmp_path / "m"))
    with pytest.raises(CheckpointNotFoundError):
        find("org/mine@v2")


def test_another_revision_of_a_pinned_model_is_not_checked_against_the_pin(pin, cache):
    folder = snapshot(cache, MINILM, "b" * 40, weights=b"another revision")
    assert find("all-MiniLM-L6-v2@" + "b" * 40).folder == folder
