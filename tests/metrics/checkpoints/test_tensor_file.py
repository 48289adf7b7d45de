from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from answersim.metrics.checkpoints.tensor_file import mapped, tensors
from tests.cases import every


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
    found = tensors(content(header, data))
    assert {name: found[name].fp32().tolist() for name in ("half", "double", "bfloat")} == {
        "half": [0.5, -2.0],
        "double": [[1.25]],
        "bfloat": [1.5, -3.0],
    }
    assert all(found[name].fp32().dtype == np.float32 for name in ("half", "double", "bfloat"))
    assert not found["byte"].is_floating_point()
    with pytest.raises(ValueError, match="type U8, but only F64, F32, F16 and BF16"):
        found["byte"].fp32()


def test_a_file_of_the_library_is_read_equally(tmp_path: Path) -> None:
    library = pytest.importorskip("safetensors.numpy")
    rng = np.random.default_rng(0)
    saved = {"a": rng.normal(size=(3, 4)).astype("f4"), "b": rng.normal(size=5), "empty": np.zeros((0, 2), "f4")}
    library.save_file(saved, tmp_path / "x.safetensors")
    found = tensors(mapped(tmp_path / "x.safetensors"))
    assert found.keys() == saved.keys()
    for name, values in saved.items():
        np.testing.assert_array_equal(found[name].fp32(), values.astype(np.float32))


def test_values_are_copied_so_that_a_later_change_of_the_file_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(content({"a": ONE}, np.array([1, 2], "<f4").tobytes()))
    values = tensors(mapped(path))["a"].fp32()
    path.write_bytes(content({"a": ONE}, np.array([3, 4], "<f4").tobytes()))
    assert values.tolist() == [1.0, 2.0]


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
