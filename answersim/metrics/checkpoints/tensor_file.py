"""The tensors of a safetensors file as numpy arrays, without the package safetensors: eight bytes, a header, the data.

Source: the format at https://huggingface.co/docs/safetensors. As in that library, the header must describe all bytes.
"""

from __future__ import annotations

import json
import math
import mmap
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_LARGEST_HEADER = 100_000_000  # bytes, as in the library
_BYTES = {
    **dict.fromkeys(("BOOL", "U8", "I8", "F8_E5M2", "F8_E4M3"), 1),
    **dict.fromkeys(("U16", "I16", "F16", "BF16"), 2),
    **dict.fromkeys(("U32", "I32", "F32"), 4),
    **dict.fromkeys(("U64", "I64", "F64"), 8),
}
_FLOATS = {"F16": "<f2", "F32": "<f4", "F64": "<f8"}


class StoredTensor(NamedTuple):
    """A tensor in a file: its type by the name of the format, its shape and its bytes, which are not copied."""

    dtype: str
    shape: tuple[int, ...]
    data: memoryview

    def is_floating_point(self) -> bool:
        """Return whether ``fp32`` can read it."""
        return self.dtype in _FLOATS or self.dtype == "BF16"

    def fp32(self) -> NDArray[np.float32]:
        """Copy the values. Raise ValueError if they are integers, or floating-point numbers of 8 bits."""
        if self.dtype == "BF16":  # the upper half of a number of 32 bits
            return (np.frombuffer(self.data, "<u2").astype(np.uint32) << 16).view(np.float32).reshape(self.shape)
        if self.dtype not in _FLOATS:
            raise ValueError(f"a tensor has the type {self.dtype}, but only F64, F32, F16 and BF16 are read here")
        return np.frombuffer(self.data, _FLOATS[self.dtype]).astype(np.float32).reshape(self.shape)


def tensors(content: bytes | mmap.mmap) -> dict[str, StoredTensor]:
    """Return the tensors in the content of a file by name."""
    view = memoryview(content)
    size = int.from_bytes(view[:8], "little")
    if len(view) < 8 or size > min(_LARGEST_HEADER, len(view) - 8):
        raise ValueError(f"its header would have {size:,} bytes, but the file has {len(view):,}")
    try:
        header = json.loads(bytes(view[8 : 8 + size]))
        entries = {name: _entry(entry) for name, entry in header.items() if name != "__metadata__"}
    except (KeyError, TypeError, AttributeError, RecursionError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"its header is damaged ({type(error).__name__}: {error})") from error
    data, end = view[8 + size :], 0
    by_name = {}
    for name, (dtype, shape, start, stop) in sorted(entries.items(), key=lambda item: item[1][2:]):
        if start != end or stop - start != math.prod(shape) * _BYTES[dtype] or stop > len(data):
            raise ValueError(f"{name!r} of {dtype} {list(shape)} cannot be the bytes {start:,} to {stop:,}")
        by_name[name] = StoredTensor(dtype, shape, data[start:stop])
        end = stop
    if end != len(data):
        raise ValueError(f"its header describes {end:,} bytes of {len(data):,}")
    return by_name


def mapped(path: Path) -> bytes | mmap.mmap:
    """Map a file into memory, until nothing refers to its content any more. What is kept longer must be copied."""
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if path.stat().st_size else b""


def _entry(entry: Any) -> tuple[str, tuple[int, ...], int, int]:
    dtype, shape, (start, stop) = entry["dtype"], tuple(entry["shape"]), entry["data_offsets"]
    if dtype not in _BYTES or not all(type(number) is int and number >= 0 for number in (*shape, start, stop)):
        raise TypeError(f"{dtype!r} {list(shape)} at {start!r} to {stop!r} is no tensor that can be read")
    return dtype, shape, start, stop
