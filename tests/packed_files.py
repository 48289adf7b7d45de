"""A tiny file of a packed encoder, written from random weights."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from answersim.metrics.checkpoints import packed

WIDTH, LAYERS, HEADS, INNER, WORDS, PLACES = 32, 2, 4, 64, 48, 40
PIECES: dict[str, float] = {  # by id; special tokens have the score 0
    **{"<s>": 0.0, "<pad>": 0.0, "</s>": 0.0, "<unk>": 0.0},
    **{"\u2581": -3.0, "a": -4.0, "b": -4.1, "c": -4.2, "d": -4.3, "e": -4.4, "ab": -5.0, "abc": -6.5, "bc": -5.1},
    **{
        "\u2581a": -3.5,
        "\u2581ab": -4.6,
        "\u2581de": -5.0,
        "é": -6.0,
        "東": -6.1,
        "京": -6.2,
        "東京": -6.3,
        "の": -5.5,
    },
    **{"в": -6.0, "о": -6.1, "во": -6.4, "\u2581во": -6.6, "1": -5.0, "2": -5.0, "12": -6.0, "fi": -6.0, ".": -3.2},
    "<mask>": 0.0,
}
NORMALIZED = {0x1: "", 0x9: " ", 0xA: " ", 0x2581: " ", 0x200B: " ", 0xFB01: "fi", 0xFF11: "1"}


def content(seed: int = 0, words: int = WORDS, layers: int = LAYERS, pieces: dict[str, float] = PIECES) -> bytes:
    """Return the bytes of a file with random weights."""
    rng = np.random.default_rng(seed)
    head = struct.pack("<4sI7ifi", b"E5S1", 1, WIDTH, layers, HEADS, INNER, words, PLACES, 2, 1e-12, 32)
    encoded = [piece.encode() for piece in pieces]
    blob = b"".join(encoded)
    bounds = np.cumsum([0, *map(len, encoded)]).astype("<u4").tobytes()
    head += struct.pack("<5iQ", len(pieces), 0, 2, 1, 3, len(blob)) + bounds
    head += np.array(list(pieces.values()), dtype="<f4").tobytes() + blob
    rows = b"".join(
        struct.pack(f"<IB{len(text)}I", point, len(text), *map(ord, text)) for point, text in NORMALIZED.items()
    )
    head += struct.pack("<iI", len(NORMALIZED), len(rows)) + rows
    tensors = list(_tensors(rng, words, layers))
    size = len(head) + 4 + sum(2 + len(name) + 21 for name, *_ in tensors)
    directory, data = struct.pack("<i", len(tensors)), b""
    for name, kind, count, stored in tensors:
        directory += struct.pack("<H", len(name)) + name.encode()
        directory += struct.pack("<BIQQ", kind, count, size + len(data), len(stored))
        data += stored
    return head + directory + data


def folder(path: Path, **how: Any) -> Path:
    """Write a file into this folder, and return the folder."""
    path.mkdir(parents=True, exist_ok=True)
    (path / packed.FILE).write_bytes(content(**how))
    return path


def _tensors(rng: np.random.Generator, words: int, layers: int) -> Any:
    def matrix(name: str, rows: int, columns: int) -> tuple[str, int, int, bytes]:
        return name, 1, rows * columns, blocks(rng, rows, columns).tobytes()

    def floats(name: str, size: int, around: float = 0.0) -> tuple[str, int, int, bytes]:
        return name, 0, size, (around + 0.1 * rng.normal(size=size)).astype("<f4").tobytes()

    yield matrix("emb.word", words, WIDTH)
    yield floats("emb.pos", PLACES * WIDTH)
    yield floats("emb.type", 2 * WIDTH)
    yield floats("emb.ln.w", WIDTH, 1.0)
    yield floats("emb.ln.b", WIDTH)
    for layer in range(layers):
        for part, rows, columns in (
            *((part, WIDTH, WIDTH) for part in ("q", "k", "v", "ao")),
            *(("fi", INNER, WIDTH), ("fo", WIDTH, INNER)),
        ):
            yield matrix(f"l{layer}.{part}.w", rows, columns)
            yield floats(f"l{layer}.{part}.b", rows)
        for part in ("aln", "oln"):
            yield floats(f"l{layer}.{part}.w", WIDTH, 1.0)
            yield floats(f"l{layer}.{part}.b", WIDTH)


def blocks(rng: np.random.Generator, rows: int, columns: int) -> NDArray[np.uint8]:
    """Return random blocks, (rows, columns / 32, 18)."""
    built = rng.integers(0, 256, size=(rows, columns // 32, 18), dtype=np.uint8)
    scales = (0.02 + 0.05 * rng.random((rows, columns // 32, 1))).astype("<f2")
    built[..., :2] = scales.view(np.uint8)
    return built
